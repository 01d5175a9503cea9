//! What the operator of Alertmanager watches and owns, and the constants of this kind.

use kernel::declare::Declaration;

use crate::declaration::{
    CLAIMS, NAMESPACES, PODS, SECRETS, SERVICES, STATEFUL_SETS, outline, permissions, selectable, workload,
};
use crate::kind::{Application, Naming};
use crate::kinds;
use crate::workload::defaults::ALERTMANAGER_VERSION;

/// The declaration of the operator of Alertmanager.
pub const DECLARATION: Declaration = workload(
    "alertmanager",
    kinds::ALERTMANAGER,
    &[SECRETS, SERVICES, STATEFUL_SETS],
    &[
        selectable(kinds::ALERTMANAGER_CONFIG, "routes and receivers of an Alertmanager"),
        outline(kinds::CONFIG_MAP, "what AlertmanagerConfigs refer to"),
        NAMESPACES,
        PODS,
        CLAIMS,
    ],
    permissions!("alertmanagers", "alertmanagerconfigs"),
);

pub(super) const NAMING: Naming = Naming {
    application: "alertmanager",
    governing_service: "alertmanager-operated",
    prefix: "alertmanager",
    configuration_suffix: "-generated",
    configuration_key: "alertmanager.yaml.gz",
    volume_suffix: "-db",
    name_labels: &["alertmanager"],
    controller_labels: &[],
    rules: None,
};

pub(super) const APPLICATION: Application = Application {
    name: "Alertmanager",
    default_version: ALERTMANAGER_VERSION,
    container: "alertmanager",
    port: 9093,
    web_config_since: (0, 22),
};
