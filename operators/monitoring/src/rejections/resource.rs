//! References to the resources that a workload selects, and the names that they have in a configuration: the names of jobs,
//! receivers and time intervals.

use std::fmt;

use kernel::object::Key;
use monitoring_select::SelectableKind;
use serde::{Deserialize, Serialize};

/// A resource that a workload selects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ResourceRef {
    /// Its kind.
    pub kind: SelectableKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl ResourceRef {
    /// A reference.
    pub fn new(kind: SelectableKind, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind, namespace: namespace.into(), name: name.into() }
    }

    /// The resource with this key.
    pub(crate) fn of_key(kind: SelectableKind, key: &Key) -> Self {
        Self::new(kind, &*key.namespace, &*key.name)
    }

    /// The resource that a job, receiver or time interval comes from: `serviceMonitor/ns/name/0`, `ns/name/receiver`.
    pub fn of_configuration_name(name: &str) -> Option<Self> {
        let of_kind = |kind: SelectableKind| Some((kind, name.strip_prefix(kind.job_prefix()?)?));
        if let Some((kind, rest)) = SelectableKind::ALL.into_iter().find_map(of_kind) {
            let (namespace, rest) = rest.split_once('/')?;
            let name = rest.split_once('/').map_or(rest, |(name, _)| name);
            return Some(Self::new(kind, namespace, name));
        }
        let (namespace, rest) = name.split_once('/')?;
        let (name, _) = rest.split_once('/')?;
        Some(Self::new(SelectableKind::AlertmanagerConfig, namespace, name))
    }

    /// The prefix of all its names in a configuration; none for rules, which have files.
    pub(crate) fn name_prefix(&self) -> Option<String> {
        let Self { kind, namespace, name } = self;
        match (kind, kind.job_prefix()) {
            (SelectableKind::AlertmanagerConfig, _) => Some(format!("{namespace}/{name}/")),
            (_, prefix) => prefix.map(|prefix| format!("{prefix}{namespace}/{name}")),
        }
    }
}

impl fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind.name(), self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_configuration_identify_resources() {
        let cases = [
            (
                "serviceMonitor/team/shop/0",
                Some(ResourceRef::new(SelectableKind::ServiceMonitor, "team", "shop")),
            ),
            ("podMonitor/team/shop/12", Some(ResourceRef::new(SelectableKind::PodMonitor, "team", "shop"))),
            ("probe/team/front.page", Some(ResourceRef::new(SelectableKind::Probe, "team", "front.page"))),
            ("scrapeConfig/team/own", Some(ResourceRef::new(SelectableKind::ScrapeConfig, "team", "own"))),
            (
                "team/pager/on call/now",
                Some(ResourceRef::new(SelectableKind::AlertmanagerConfig, "team", "pager")),
            ),
            ("own-job", None),
            ("team/own", None),
            ("null", None),
        ];
        for (name, resource) in cases {
            assert_eq!(ResourceRef::of_configuration_name(name), resource, "{name}");
        }
    }

    #[test]
    fn a_resource_is_printed_as_users_write_it() {
        assert_eq!(ResourceRef::new(SelectableKind::Probe, "team", "page").to_string(), "Probe team/page");
    }
}
