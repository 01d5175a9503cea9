//! Objects that a configuration is made of, and the names that they have in it: names of jobs and of receivers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of objects that workloads select.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A ServiceMonitor.
    ServiceMonitor,
    /// A PodMonitor.
    PodMonitor,
    /// A Probe.
    Probe,
    /// A ScrapeConfig.
    ScrapeConfig,
    /// A PrometheusRule.
    PrometheusRule,
    /// An AlertmanagerConfig.
    AlertmanagerConfig,
}

impl Kind {
    /// As users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ServiceMonitor => "ServiceMonitor",
            Self::PodMonitor => "PodMonitor",
            Self::Probe => "Probe",
            Self::ScrapeConfig => "ScrapeConfig",
            Self::PrometheusRule => "PrometheusRule",
            Self::AlertmanagerConfig => "AlertmanagerConfig",
        }
    }

    /// What the names of its jobs begin with; nothing for kinds without jobs.
    fn prefix(self) -> Option<&'static str> {
        match self {
            Self::ServiceMonitor => Some("serviceMonitor"),
            Self::PodMonitor => Some("podMonitor"),
            Self::Probe => Some("probe"),
            Self::ScrapeConfig => Some("scrapeConfig"),
            Self::PrometheusRule | Self::AlertmanagerConfig => None,
        }
    }
}

/// An object that a workload selects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Subject {
    /// An object.
    pub fn new(kind: Kind, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind, namespace: namespace.into(), name: name.into() }
    }

    /// Whose the job, receiver or interval of this name is: `serviceMonitor/ns/name/0`, `ns/name/receiver`.
    pub fn of_name(name: &str) -> Option<Self> {
        let (first, rest) = name.split_once('/')?;
        let kinds = [Kind::ServiceMonitor, Kind::PodMonitor, Kind::Probe, Kind::ScrapeConfig];
        if let Some(kind) = kinds.into_iter().find(|kind| kind.prefix() == Some(first)) {
            let (namespace, rest) = rest.split_once('/')?;
            let name = rest.split_once('/').map_or(rest, |(name, _)| name);
            return Some(Self::new(kind, namespace, name));
        }
        let (name, _) = rest.split_once('/')?;
        Some(Self::new(Kind::AlertmanagerConfig, first, name))
    }

    /// What all its names in a configuration begin with; nothing for rules, which have files.
    pub(crate) fn marker(&self) -> Option<String> {
        let Self { kind, namespace, name } = self;
        match kind {
            Kind::AlertmanagerConfig => Some(format!("{namespace}/{name}/")),
            Kind::ServiceMonitor
            | Kind::PodMonitor
            | Kind::Probe
            | Kind::ScrapeConfig
            | Kind::PrometheusRule => kind.prefix().map(|prefix| format!("{prefix}/{namespace}/{name}")),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind.as_str(), self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_configuration_tell_whose_they_are() {
        let cases = [
            ("serviceMonitor/team/shop/0", Some(Subject::new(Kind::ServiceMonitor, "team", "shop"))),
            ("podMonitor/team/shop/12", Some(Subject::new(Kind::PodMonitor, "team", "shop"))),
            ("probe/team/front.door", Some(Subject::new(Kind::Probe, "team", "front.door"))),
            ("scrapeConfig/team/own", Some(Subject::new(Kind::ScrapeConfig, "team", "own"))),
            ("team/pager/on call/now", Some(Subject::new(Kind::AlertmanagerConfig, "team", "pager"))),
            ("own-job", None),
            ("team/own", None),
            ("null", None),
        ];
        for (name, subject) in cases {
            assert_eq!(Subject::of_name(name), subject, "{name}");
        }
    }

    #[test]
    fn an_object_is_told_as_users_write_it() {
        assert_eq!(Subject::new(Kind::Probe, "team", "door").to_string(), "Probe team/door");
    }
}
