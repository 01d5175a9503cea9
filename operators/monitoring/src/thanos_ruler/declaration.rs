//! What the operator of ThanosRuler watches and owns, and the constants of this kind.

use kernel::declare::Declaration;
use monitoring_rules::config_map;

use crate::declaration::{
    CLAIMS, CONFIG_MAPS, NAMESPACES, PODS, SECRETS, SERVICES, STATEFUL_SETS, permissions, selectable,
    workload,
};
use crate::kind::{Application, Naming};
use crate::kinds;
use crate::workload::defaults::THANOS_VERSION;

/// The declaration of the operator of ThanosRuler.
pub const DECLARATION: Declaration = workload(
    "thanos",
    kinds::THANOS_RULER,
    &[CONFIG_MAPS, SECRETS, SERVICES, STATEFUL_SETS],
    &[selectable(kinds::RULE, "what a Thanos Ruler evaluates"), NAMESPACES, PODS, CLAIMS],
    permissions!("thanosrulers", "prometheusrules"),
);

pub(super) const NAMING: Naming = Naming {
    application: "thanos-ruler",
    governing_service: "thanos-ruler-operated",
    prefix: "thanos-ruler",
    configuration_suffix: "-config",
    configuration_key: "remote-write.yaml",
    volume_suffix: "-data",
    name_labels: &["thanos-ruler"],
    controller_labels: &[],
    rules: Some(|name| config_map::RuleConfigMaps::ThanosRuler(name)),
};

pub(super) const APPLICATION: Application = Application {
    name: "Thanos Ruler",
    default_version: THANOS_VERSION,
    container: "thanos-ruler",
    port: 10902,
    web_config_since: (0, 21),
};
