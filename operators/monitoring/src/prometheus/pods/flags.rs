//! Which flag from which version of Prometheus on, and until which: the only place that knows. A flag that the version
//! does not have is left out and named: it would keep the server from starting.

use api_monitoring::pod::Argument;
use formats::prometheus::LeftOut;
use formats::version::Version;

use crate::workload::arguments::argument;

/// From a version on.
type Since = (u64, u64);

/// Flags that not every version has.
const FLAGS: &[(&str, Since)] = &[
    ("rules.alert.for-grace-period", (2, 4)),
    ("rules.alert.for-outage-tolerance", (2, 4)),
    ("rules.alert.resend-delay", (2, 4)),
    ("query.max-samples", (2, 5)),
    ("log.format", (2, 6)),
    ("web.page-title", (2, 6)),
    ("storage.tsdb.retention.size", (2, 7)),
    ("no-storage.tsdb.wal-compression", (2, 11)),
    ("storage.tsdb.allow-overlapping-blocks", (2, 11)),
    ("storage.tsdb.wal-compression", (2, 11)),
    ("web.config.file", (2, 24)),
    ("enable-feature", (2, 25)),
    ("web.enable-remote-write-receiver", (2, 33)),
    ("web.remote-write-receiver.accepted-protobuf-messages", (2, 54)),
];

/// Features that the operator turns on itself and that not every version has.
const FEATURES: &[(&str, Since)] =
    &[("otlp-write-receiver", (2, 47)), ("metadata-wal-records", (2, 54)), ("xor2-encoding", (3, 13))];

/// Flags that later versions no longer have.
const GONE: &[(&str, Since)] = &[("storage.tsdb.allow-overlapping-blocks", (2, 39))];

/// Flags that are being collected for one version.
#[derive(Debug)]
pub(crate) struct Flags<'v> {
    version: &'v Version,
    /// The flags that the version has.
    pub(crate) arguments: Vec<Argument>,
    /// What was left out.
    pub(crate) left_out: Vec<LeftOut>,
}

impl<'v> Flags<'v> {
    /// No flags yet.
    pub(crate) fn new(version: &'v Version) -> Self {
        Self { version, arguments: Vec::new(), left_out: Vec::new() }
    }

    /// Adds a flag with a value, if the version has it.
    pub(crate) fn put(&mut self, name: &str, value: impl Into<String>) {
        match self.refusal(name, FLAGS) {
            None => self.arguments.push(argument(name, value)),
            Some(versions) => self.left_out.push(LeftOut { field: format!("--{name}"), versions }),
        }
    }

    /// Adds a flag without a value, if the version has it.
    pub(crate) fn flag(&mut self, name: &str) {
        self.put(name, "");
    }

    /// Adds a flag with a value, if there is a value and if the version has it.
    pub(crate) fn put_text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.put(name, value);
        }
    }

    /// Turns a feature on, if the version has it.
    pub(crate) fn feature(&mut self, feature: &str) {
        match self.refusal(feature, FEATURES) {
            None => self.put("enable-feature", feature),
            Some(versions) => {
                self.left_out.push(LeftOut { field: format!("--enable-feature={feature}"), versions });
            }
        }
    }

    /// Whether the version has a flag.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.refusal(name, FLAGS).is_none()
    }

    /// Which versions have a flag or a feature, if this one has not.
    fn refusal(&self, name: &str, table: &[(&str, Since)]) -> Option<String> {
        let find = |table: &[(&str, Since)]| table.iter().find(|row| row.0 == name).map(|row| row.1);
        let at = |(major, minor): Since| Version::new(major, minor, 0);
        if let Some(since) = find(table)
            && *self.version < at(since)
        {
            return Some(format!("{}.{} or later", since.0, since.1));
        }
        let gone = find(GONE)?;
        (*self.version >= at(gone)).then(|| format!("before {}.{}", gone.0, gone.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_there_from_its_first_version_to_its_last() {
        let name = "storage.tsdb.allow-overlapping-blocks";
        for (version, versions) in [
            ("2.10.9", Some("2.11 or later")),
            ("2.11.0-rc.1", Some("2.11 or later")),
            ("2.11.0", None),
            ("2.38.9", None),
            ("2.39.0", Some("before 2.39")),
        ] {
            let parsed = formats::version::parse(version).unwrap();
            let mut flags = Flags::new(&parsed);
            flags.flag(name);
            let left_out = |versions: &str| LeftOut { field: format!("--{name}"), versions: versions.into() };
            assert_eq!(flags.left_out, versions.map(left_out).into_iter().collect::<Vec<_>>(), "{version}");
            assert_eq!(flags.arguments.is_empty(), versions.is_some(), "{version}");
        }
    }
}
