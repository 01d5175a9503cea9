//! The webhooks as they are registered at the API server: the resources of each path. Manifests follow from this.

use product::Registered;

use super::monitor::MONITORS;
use super::{MUTATE_RULE, VALIDATE_ALERTMANAGER_CONFIG, VALIDATE_RULE};

/// The API group of the resources.
pub const GROUP: &str = "monitoring.coreos.com";

/// Validating webhooks.
pub const VALIDATING: [Registered; 6] = [
    Registered { path: VALIDATE_RULE, resource: "prometheusrules", versions: &["v1"] },
    Registered {
        path: VALIDATE_ALERTMANAGER_CONFIG,
        resource: "alertmanagerconfigs",
        versions: &["v1alpha1", "v1beta1"],
    },
    MONITORS[0].0,
    MONITORS[1].0,
    MONITORS[2].0,
    MONITORS[3].0,
];

/// Mutating webhooks.
pub const MUTATING: [Registered; 1] =
    [Registered { path: MUTATE_RULE, resource: "prometheusrules", versions: &["v1"] }];
