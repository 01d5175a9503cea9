//! What was written before, and stays where nothing better is known.

use std::collections::BTreeMap;

use monitoring_rules::pack::Files;

/// What stands of a workload.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Its configuration, if there is one.
    pub configuration: Option<String>,
    /// The certificates and keys that its configuration points to, by the names of their files.
    pub tls_files: BTreeMap<String, Vec<u8>>,
    /// Which rule file is in which ConfigMap.
    pub rules: Vec<Files>,
}
