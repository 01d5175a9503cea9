//! The roles of users for our resources. Two roles are aggregated into `view`, `edit` and `admin`, which exist in every
//! cluster; they follow from the CRDs.
//!
//! For a workload that selects from several namespaces, the operator reads Secrets there and writes their content into
//! the namespace of the workload. So users who may write in one namespace do not automatically get the permission to
//! write workloads: that role has to be bound explicitly.

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::definitions::Definition;
use super::{NAME, labels};

const READ: [&str; 3] = ["get", "list", "watch"];
const WRITE: [&str; 5] = ["create", "update", "patch", "delete", "deletecollection"];

/// A role and its resources.
struct Role {
    name: &'static str,
    /// The roles that it is aggregated into.
    aggregated_to: &'static [&'static str],
    verbs: &'static [&'static str],
    of: fn(&Definition) -> bool,
    /// The subresources that belong to it.
    subresources: &'static [&'static str],
}

const ROLES: [Role; 3] = [
    Role {
        name: "view",
        aggregated_to: &["view", "edit", "admin"],
        verbs: &READ,
        of: |_| true,
        subresources: &["status", "scale"],
    },
    Role {
        name: "edit",
        aggregated_to: &["edit", "admin"],
        verbs: &WRITE,
        of: |definition| !definition.is_privileged(),
        subresources: &["scale"],
    },
    Role {
        name: "workloads",
        aggregated_to: &[],
        verbs: &WRITE,
        of: Definition::is_privileged,
        subresources: &["scale"],
    },
];

/// The roles for the resources of these CRDs.
pub(super) fn of(definitions: &[&Definition]) -> Vec<ClusterRole> {
    ROLES.iter().map(|role| role.for_all(definitions)).filter(|role| role.rules.is_some()).collect()
}

impl Role {
    fn for_all(&self, definitions: &[&Definition]) -> ClusterRole {
        let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for definition in definitions.iter().filter(|definition| (self.of)(definition)) {
            groups.entry(definition.group()).or_default().extend(self.resources(definition));
        }
        let rule = |(group, resources): (&str, Vec<String>)| PolicyRule {
            api_groups: Some(vec![group.to_owned()]),
            resources: Some(resources),
            verbs: self.verbs.iter().map(|verb| (*verb).to_owned()).collect(),
            ..PolicyRule::default()
        };
        let rules: Vec<PolicyRule> = groups.into_iter().map(rule).collect();
        let mut all = labels();
        for role in self.aggregated_to {
            all[format!("rbac.authorization.k8s.io/aggregate-to-{role}")] = "true".into();
        }
        ClusterRole {
            metadata: ObjectMeta {
                name: Some(format!("{NAME}-{}", self.name)),
                labels: serde_json::from_value(all).ok(),
                ..ObjectMeta::default()
            },
            rules: (!rules.is_empty()).then_some(rules),
            aggregation_rule: None,
        }
    }

    fn resources(&self, definition: &Definition) -> Vec<String> {
        let plural = definition.plural();
        let below = definition.subresources().into_iter().filter(|name| self.subresources.contains(name));
        std::iter::once(plural.to_owned()).chain(below.map(|name| format!("{plural}/{name}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::manifests::definitions;

    use super::*;

    /// A line for each rule of a role.
    fn lines(role: &ClusterRole) -> Vec<String> {
        let rules = role.rules.iter().flatten();
        let words = |list: &Option<Vec<String>>| list.iter().flatten().cloned().collect::<Vec<_>>().join(" ");
        rules
            .map(|rule| {
                format!("{}: {}: {}", words(&rule.api_groups), words(&rule.resources), rule.verbs.join(" "))
            })
            .collect()
    }

    #[test]
    fn everything_of_ours_can_be_read_and_written_and_nothing_else() {
        let all = definitions::all().unwrap();
        let roles = of(&all.iter().collect::<Vec<_>>());
        let [view, edit, workloads] = &roles[..] else { panic!("{roles:?}") };
        assert_eq!(
            lines(view),
            [
                "example-app.appdelivery.cncf.io: exampleapps exampleapps/status exampleapps/scale: get list watch",
                "monitoring.coreos.com: \
                 alertmanagers alertmanagers/status alertmanagers/scale \
                 alertmanagerconfigs alertmanagerconfigs/status \
                 podmonitors podmonitors/status \
                 probes probes/status \
                 prometheuses prometheuses/status prometheuses/scale \
                 prometheusagents prometheusagents/status prometheusagents/scale \
                 prometheusrules prometheusrules/status \
                 scrapeconfigs scrapeconfigs/status \
                 servicemonitors servicemonitors/status \
                 thanosrulers thanosrulers/status: get list watch",
            ]
        );
        let write = "create update patch delete deletecollection";
        assert_eq!(
            lines(edit),
            [
                format!("example-app.appdelivery.cncf.io: exampleapps exampleapps/scale: {write}"),
                format!(
                    "monitoring.coreos.com: alertmanagerconfigs podmonitors probes prometheusrules scrapeconfigs \
                     servicemonitors: {write}"
                ),
            ]
        );
        assert_eq!(
            lines(workloads),
            [format!(
                "monitoring.coreos.com: alertmanagers alertmanagers/scale prometheuses prometheuses/scale \
                 prometheusagents prometheusagents/scale thanosrulers: {write}"
            )]
        );
    }

    #[test]
    fn only_roles_without_workloads_are_aggregated() {
        let all = definitions::all().unwrap();
        let roles = of(&all.iter().collect::<Vec<_>>());
        let added: Vec<Vec<String>> = roles
            .iter()
            .map(|role| {
                let labels = role.metadata.labels.clone().unwrap();
                let prefix = "rbac.authorization.k8s.io/aggregate-to-";
                labels.keys().filter_map(|label| Some(label.strip_prefix(prefix)?.to_owned())).collect()
            })
            .collect();
        assert_eq!(added, [vec!["admin", "edit", "view"], vec!["admin", "edit"], vec![]]);
    }
}
