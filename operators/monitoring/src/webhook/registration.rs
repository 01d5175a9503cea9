//! The webhooks as an API server has to know them: which path is asked about which resource. Manifests follow from this.

use product::Registered;

use crate::webhook::{
    MUTATE_RULE, VALIDATE_ALERTMANAGER_CONFIG, VALIDATE_POD_MONITOR, VALIDATE_PROBE, VALIDATE_RULE,
    VALIDATE_SCRAPE_CONFIG, VALIDATE_SERVICE_MONITOR,
};

/// The group of all the resources.
pub const GROUP: &str = "monitoring.coreos.com";

/// Those that refuse.
pub const VALIDATING: [Registered; 6] = [
    Registered { path: VALIDATE_RULE, resource: "prometheusrules", versions: &["v1"] },
    Registered {
        path: VALIDATE_ALERTMANAGER_CONFIG,
        resource: "alertmanagerconfigs",
        versions: &["v1alpha1", "v1beta1"],
    },
    Registered { path: VALIDATE_SERVICE_MONITOR, resource: "servicemonitors", versions: &["v1"] },
    Registered { path: VALIDATE_POD_MONITOR, resource: "podmonitors", versions: &["v1"] },
    Registered { path: VALIDATE_PROBE, resource: "probes", versions: &["v1"] },
    Registered { path: VALIDATE_SCRAPE_CONFIG, resource: "scrapeconfigs", versions: &["v1alpha1"] },
];

/// Those that mend.
pub const MUTATING: [Registered; 1] =
    [Registered { path: MUTATE_RULE, resource: "prometheusrules", versions: &["v1"] }];
