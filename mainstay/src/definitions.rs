//! The definitions of all resources, as they are in `deploy/crds`.

/// The definitions of the monitoring kinds, by the plural of their kinds.
pub const MONITORING: [(&str, &str); 10] = [
    ("alertmanagerconfigs", include_str!("../../deploy/crds/alertmanagerconfigs.monitoring.coreos.com.yaml")),
    ("alertmanagers", include_str!("../../deploy/crds/alertmanagers.monitoring.coreos.com.yaml")),
    ("podmonitors", include_str!("../../deploy/crds/podmonitors.monitoring.coreos.com.yaml")),
    ("probes", include_str!("../../deploy/crds/probes.monitoring.coreos.com.yaml")),
    ("prometheusagents", include_str!("../../deploy/crds/prometheusagents.monitoring.coreos.com.yaml")),
    ("prometheuses", include_str!("../../deploy/crds/prometheuses.monitoring.coreos.com.yaml")),
    ("prometheusrules", include_str!("../../deploy/crds/prometheusrules.monitoring.coreos.com.yaml")),
    ("scrapeconfigs", include_str!("../../deploy/crds/scrapeconfigs.monitoring.coreos.com.yaml")),
    ("servicemonitors", include_str!("../../deploy/crds/servicemonitors.monitoring.coreos.com.yaml")),
    ("thanosrulers", include_str!("../../deploy/crds/thanosrulers.monitoring.coreos.com.yaml")),
];
