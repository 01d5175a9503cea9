//! The six kinds that workloads select, in one table, from which all lists of them follow.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A kind that workloads select.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SelectableKind {
    /// ServiceMonitors.
    ServiceMonitor,
    /// PodMonitors.
    PodMonitor,
    /// Probes.
    Probe,
    /// ScrapeConfigs.
    ScrapeConfig,
    /// PrometheusRules.
    PrometheusRule,
    /// AlertmanagerConfigs.
    AlertmanagerConfig,
}

/// The properties of a kind.
struct Row {
    kind: SelectableKind,
    name: &'static str,
    plural: &'static str,
    /// The version that workloads read.
    version: &'static str,
    /// The prefix of the fields of a workload that select it: `probeSelector`, `probeNamespaceSelector`.
    selector_prefix: &'static str,
    /// The prefix of the names of its jobs: `probe/NAMESPACE/NAME`.
    job_prefix: Option<&'static str>,
}

const TABLE: [Row; 6] = [
    Row {
        kind: SelectableKind::ServiceMonitor,
        name: "ServiceMonitor",
        plural: "servicemonitors",
        version: "v1",
        selector_prefix: "serviceMonitor",
        job_prefix: Some("serviceMonitor/"),
    },
    Row {
        kind: SelectableKind::PodMonitor,
        name: "PodMonitor",
        plural: "podmonitors",
        version: "v1",
        selector_prefix: "podMonitor",
        job_prefix: Some("podMonitor/"),
    },
    Row {
        kind: SelectableKind::Probe,
        name: "Probe",
        plural: "probes",
        version: "v1",
        selector_prefix: "probe",
        job_prefix: Some("probe/"),
    },
    Row {
        kind: SelectableKind::ScrapeConfig,
        name: "ScrapeConfig",
        plural: "scrapeconfigs",
        version: "v1alpha1",
        selector_prefix: "scrapeConfig",
        job_prefix: Some("scrapeConfig/"),
    },
    Row {
        kind: SelectableKind::PrometheusRule,
        name: "PrometheusRule",
        plural: "prometheusrules",
        version: "v1",
        selector_prefix: "rule",
        job_prefix: None,
    },
    Row {
        kind: SelectableKind::AlertmanagerConfig,
        name: "AlertmanagerConfig",
        plural: "alertmanagerconfigs",
        version: "v1alpha1",
        selector_prefix: "alertmanagerConfig",
        job_prefix: None,
    },
];

impl SelectableKind {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 6] = {
        let mut all = [Self::ServiceMonitor; 6];
        let mut at = 0;
        while at < TABLE.len() {
            assert!(TABLE[at].kind as usize == at, "the rows are in the order of the variants");
            all[at] = TABLE[at].kind;
            at += 1;
        }
        all
    };

    /// The kinds with scrape jobs.
    pub const WITH_JOBS: [Self; 4] =
        [Self::ServiceMonitor, Self::PodMonitor, Self::Probe, Self::ScrapeConfig];

    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The name of the kind.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The plural of its name, as in addresses.
    pub const fn plural(self) -> &'static str {
        self.row().plural
    }

    /// The version that workloads read.
    pub const fn version(self) -> &'static str {
        self.row().version
    }

    /// The prefix of the fields of a workload that select it, such as `probe` for `probeSelector`.
    pub const fn selector_prefix(self) -> &'static str {
        self.row().selector_prefix
    }

    /// The prefix of the names of its jobs, such as `probe/` for `probe/NAMESPACE/NAME`, if it has jobs.
    pub const fn job_prefix(self) -> Option<&'static str> {
        self.row().job_prefix
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A value for each of the kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PerKind<T>([T; SelectableKind::ALL.len()]);

impl<T> PerKind<T> {
    /// The values that a function makes.
    pub fn new(make: impl FnMut(SelectableKind) -> T) -> Self {
        Self(SelectableKind::ALL.map(make))
    }

    /// All values with their kinds, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (SelectableKind, &T)> {
        SelectableKind::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<SelectableKind> for PerKind<T> {
    type Output = T;

    fn index(&self, kind: SelectableKind) -> &T {
        &self.0[kind as usize]
    }
}

impl<T> IndexMut<SelectableKind> for PerKind<T> {
    fn index_mut(&mut self, kind: SelectableKind) -> &mut T {
        &mut self.0[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use kube::Resource;

    use super::*;
    use crate::{AlertmanagerConfig, PodMonitor, Probe, PrometheusRule, ScrapeConfig, ServiceMonitor};

    fn names<K: Resource<DynamicType = ()>>() -> [String; 3] {
        [K::kind(&()), K::plural(&()), K::version(&())].map(std::borrow::Cow::into_owned)
    }

    #[test]
    fn the_table_agrees_with_the_types() {
        let types = [
            names::<ServiceMonitor>(),
            names::<PodMonitor>(),
            names::<Probe>(),
            names::<ScrapeConfig>(),
            names::<PrometheusRule>(),
            names::<AlertmanagerConfig>(),
        ];
        let table =
            SelectableKind::ALL.map(|kind| [kind.name(), kind.plural(), kind.version()].map(str::to_owned));
        assert_eq!(table, types);
    }

    #[test]
    fn each_kind_has_a_value_of_its_own() {
        let mut values = PerKind::new(SelectableKind::name);
        values[SelectableKind::Probe] = "other";
        let found: Vec<_> = values.iter().filter(|(kind, name)| kind.name() != **name).collect();
        assert_eq!(found, [(SelectableKind::Probe, &"other")]);
    }
}
