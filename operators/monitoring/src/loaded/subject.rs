//! Objects that a configuration is made of, and the names that they have in it: names of jobs and of receivers.

use std::fmt;

use monitoring_select::SelectableKind;
use serde::{Deserialize, Serialize};

/// An object that a workload selects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// Its kind.
    pub kind: SelectableKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Subject {
    /// An object.
    pub fn new(kind: SelectableKind, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind, namespace: namespace.into(), name: name.into() }
    }

    /// Whose the job, receiver or interval of this name is: `serviceMonitor/ns/name/0`, `ns/name/receiver`.
    pub fn of_name(name: &str) -> Option<Self> {
        let (first, rest) = name.split_once('/')?;
        if let Some(kind) = SelectableKind::ALL.into_iter().find(|kind| kind.job_prefix() == Some(first)) {
            let (namespace, rest) = rest.split_once('/')?;
            let name = rest.split_once('/').map_or(rest, |(name, _)| name);
            return Some(Self::new(kind, namespace, name));
        }
        let (name, _) = rest.split_once('/')?;
        Some(Self::new(SelectableKind::AlertmanagerConfig, first, name))
    }

    /// What all its names in a configuration begin with; nothing for rules, which have files.
    pub(crate) fn marker(&self) -> Option<String> {
        let Self { kind, namespace, name } = self;
        match (kind, kind.job_prefix()) {
            (SelectableKind::AlertmanagerConfig, _) => Some(format!("{namespace}/{name}/")),
            (_, prefix) => prefix.map(|prefix| format!("{prefix}/{namespace}/{name}")),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind.name(), self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_configuration_tell_whose_they_are() {
        let cases = [
            (
                "serviceMonitor/team/shop/0",
                Some(Subject::new(SelectableKind::ServiceMonitor, "team", "shop")),
            ),
            ("podMonitor/team/shop/12", Some(Subject::new(SelectableKind::PodMonitor, "team", "shop"))),
            ("probe/team/front.door", Some(Subject::new(SelectableKind::Probe, "team", "front.door"))),
            ("scrapeConfig/team/own", Some(Subject::new(SelectableKind::ScrapeConfig, "team", "own"))),
            (
                "team/pager/on call/now",
                Some(Subject::new(SelectableKind::AlertmanagerConfig, "team", "pager")),
            ),
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
        assert_eq!(Subject::new(SelectableKind::Probe, "team", "door").to_string(), "Probe team/door");
    }
}
