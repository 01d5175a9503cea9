//! Which objects are looked at: in which namespaces, with which labels and fields.

use std::collections::BTreeSet;

use crate::flags::flag::{Fields, Flag};
use crate::flags::selector::{FieldSelector, LabelSelector};

/// Which objects are looked at. The sets of namespaces are as they are written: ask the methods for what they mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// These namespaces only.
    pub namespaces: BTreeSet<String>,
    /// All namespaces but these.
    pub deny_namespaces: BTreeSet<String>,
    /// Where a Prometheus or PrometheusAgent may be; empty, if nothing else is said about them.
    pub prometheus_namespaces: BTreeSet<String>,
    /// Where an Alertmanager may be; empty, if nothing else is said about them.
    pub alertmanager_namespaces: BTreeSet<String>,
    /// Where AlertmanagerConfigs may be; empty, if nothing else is said about them.
    pub alertmanager_config_namespaces: BTreeSet<String>,
    /// Where a ThanosRuler may be; empty, if nothing else is said about them.
    pub thanos_ruler_namespaces: BTreeSet<String>,
    /// Whether Secrets and ConfigMaps are watched both where workloads and where their configurations are.
    pub references_everywhere: bool,
    /// Labels of Prometheus and PrometheusAgent.
    pub prometheus: LabelSelector,
    /// Labels of Alertmanagers.
    pub alertmanager: LabelSelector,
    /// Labels of Thanos Rulers.
    pub thanos_ruler: LabelSelector,
    /// Fields of Secrets.
    pub secret_fields: FieldSelector,
    /// Labels of Secrets.
    pub secret_labels: LabelSelector,
    /// Fields of ConfigMaps.
    pub config_map_fields: FieldSelector,
    /// Labels of ConfigMaps.
    pub config_map_labels: LabelSelector,
}

impl Fields for Scope {
    const TITLE: &'static str = "Objects that are looked at";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "namespaces",
            help: "Look at these namespaces only. Not together with -deny-namespaces.",
            field: |scope| &mut scope.namespaces,
        },
        Flag {
            name: "deny-namespaces",
            help: "Look at all namespaces but these. Not together with -namespaces.",
            field: |scope| &mut scope.deny_namespaces,
        },
        Flag {
            name: "prometheus-instance-namespaces",
            help: "Where a Prometheus or PrometheusAgent may be, whatever else is said about namespaces.",
            field: |scope| &mut scope.prometheus_namespaces,
        },
        Flag {
            name: "alertmanager-instance-namespaces",
            help: "Where an Alertmanager may be, whatever else is said about namespaces.",
            field: |scope| &mut scope.alertmanager_namespaces,
        },
        Flag {
            name: "alertmanager-config-namespaces",
            help: "Where AlertmanagerConfigs may be, whatever else is said about namespaces.",
            field: |scope| &mut scope.alertmanager_config_namespaces,
        },
        Flag {
            name: "thanos-ruler-instance-namespaces",
            help: "Where a ThanosRuler may be, whatever else is said about namespaces.",
            field: |scope| &mut scope.thanos_ruler_namespaces,
        },
        Flag {
            name: "watch-referenced-objects-in-all-namespaces",
            help: "Watch Secrets and ConfigMaps both where workloads and where their configurations are.",
            field: |scope| &mut scope.references_everywhere,
        },
        Flag {
            name: "prometheus-instance-selector",
            help: "Labels that a Prometheus or PrometheusAgent must have.",
            field: |scope| &mut scope.prometheus,
        },
        Flag {
            name: "alertmanager-instance-selector",
            help: "Labels that an Alertmanager must have.",
            field: |scope| &mut scope.alertmanager,
        },
        Flag {
            name: "thanos-ruler-instance-selector",
            help: "Labels that a ThanosRuler must have.",
            field: |scope| &mut scope.thanos_ruler,
        },
        Flag {
            name: "secret-field-selector",
            help: "Fields that a Secret must have to be seen.",
            field: |scope| &mut scope.secret_fields,
        },
        Flag {
            name: "secret-label-selector",
            help: "Labels that a Secret must have to be seen.",
            field: |scope| &mut scope.secret_labels,
        },
        Flag {
            name: "configmap-field-selector",
            help: "Fields that a ConfigMap must have to be seen.",
            field: |scope| &mut scope.config_map_fields,
        },
        Flag {
            name: "configmap-label-selector",
            help: "Labels that a ConfigMap must have to be seen.",
            field: |scope| &mut scope.config_map_labels,
        },
    ];
}
