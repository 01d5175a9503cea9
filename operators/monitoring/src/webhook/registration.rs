//! The webhooks as an API server has to know them: which path is asked about which resource. Manifests follow from this.

use crate::webhook::{
    MUTATE_RULE, VALIDATE_ALERTMANAGER_CONFIG, VALIDATE_POD_MONITOR, VALIDATE_PROBE, VALIDATE_RULE,
    VALIDATE_SCRAPE_CONFIG, VALIDATE_SERVICE_MONITOR,
};

/// The group of all the resources.
pub const GROUP: &str = "monitoring.coreos.com";

/// What the API server has to know of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// Where it asks.
    pub path: &'static str,
    /// About which resources.
    pub resource: &'static str,
    /// In which versions: another one is converted before it is asked about.
    pub versions: &'static [&'static str],
}

/// Those that refuse.
pub const VALIDATING: [Registration; 6] = [
    Registration { path: VALIDATE_RULE, resource: "prometheusrules", versions: &["v1"] },
    Registration {
        path: VALIDATE_ALERTMANAGER_CONFIG,
        resource: "alertmanagerconfigs",
        versions: &["v1alpha1", "v1beta1"],
    },
    Registration { path: VALIDATE_SERVICE_MONITOR, resource: "servicemonitors", versions: &["v1"] },
    Registration { path: VALIDATE_POD_MONITOR, resource: "podmonitors", versions: &["v1"] },
    Registration { path: VALIDATE_PROBE, resource: "probes", versions: &["v1"] },
    Registration { path: VALIDATE_SCRAPE_CONFIG, resource: "scrapeconfigs", versions: &["v1alpha1"] },
];

/// Those that mend.
pub const MUTATING: [Registration; 1] =
    [Registration { path: MUTATE_RULE, resource: "prometheusrules", versions: &["v1"] }];
