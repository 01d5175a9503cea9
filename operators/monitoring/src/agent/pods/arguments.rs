//! The flags of an agent.

use crate::prometheus::pods::flags::Flags;
use crate::prometheus::pods::instance::Instance;
use crate::prometheus::pods::{DATA, arguments};

/// All flags but the one that protects the web server.
pub(super) fn put(instance: &Instance<'_>, flags: &mut Flags<'_>) {
    arguments::shared(instance, flags);
    if instance.version.major == 2 {
        // The agent cannot do without, whatever the version: so nothing is left out here.
        flags.arguments.push(crate::workload::arguments::argument("enable-feature", "agent"));
    } else {
        flags.flag("agent");
    }
    flags.put("storage.agent.path", DATA);
    match instance.spec.wal_compression {
        Some(true) => flags.flag("storage.agent.wal-compression"),
        Some(false) => flags.flag("no-storage.agent.wal-compression"),
        None => {}
    }
}
