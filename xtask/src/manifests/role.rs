//! The permissions of the operators, each with a comment that says why. No role is written by hand: it follows from what an
//! operator declares that it watches and owns.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kernel::declare::Permission;
use kernel::webhook::InjectionTarget;
use mainstay::webhook_service;
use product::{OperandRole, Product};

/// The permissions of the process itself, whatever runs in it.
pub(super) const OF_THE_PROCESS: [Permission; 1] = [Permission {
    group: "events.k8s.io",
    resource: "events",
    verbs: &["create", "patch"],
    why: "events about resources",
}];

/// Its permissions in its own namespace.
pub(super) const IN_NAMESPACE: [Permission; 2] = [
    Permission {
        group: "coordination.k8s.io",
        resource: "leases",
        verbs: &["get", "create", "update"],
        why: "leader election: only the process that holds the lease writes",
    },
    Permission {
        group: "",
        resource: "secrets",
        verbs: &["get", "create", "update"],
        why: "the certificates of the webhooks, shared by all processes and renewed before they expire",
    },
];

/// All permissions of the operators in the cluster.
pub(super) fn of_cluster(products: &[&Product]) -> String {
    let mut text = rules(&of(products));
    if products.iter().any(|product| product.webhooks.is_some()) {
        text.push_str(&of_webhooks());
    }
    text
}

/// The permissions to write the certificate authority of the webhooks, for objects of exactly these names.
fn of_webhooks() -> String {
    let admission = "admissionregistration.k8s.io";
    let mut text = String::new();
    for target in webhook_service::targets() {
        let (group, resource, name) = match target {
            InjectionTarget::Validating(name) => (admission, "validatingwebhookconfigurations", name),
            InjectionTarget::Mutating(name) => (admission, "mutatingwebhookconfigurations", name),
            InjectionTarget::Conversion(name) => ("apiextensions.k8s.io", "customresourcedefinitions", name),
        };
        let _ = writeln!(
            text,
            "  # the CA of the webhooks, which the API server must trust, once they are registered\n  \
             - apiGroups: [{group:?}]\n    resources: [{resource:?}]\n    resourceNames: [{name:?}]\n    \
             verbs: [\"get\", \"update\"]"
        );
    }
    text
}

/// The permissions of operators, which follow from what they declare.
fn of(products: &[&Product]) -> Vec<Permission> {
    let mut permissions = Vec::new();
    for product in products {
        let declarations = product.declarations.iter().chain(product.tasks);
        permissions.extend(declarations.flat_map(|one| one.all_permissions()));
    }
    permissions.extend(OF_THE_PROCESS);
    permissions
}

/// A role for the programs that an operator runs.
pub(super) fn of_operand(role: &OperandRole) -> String {
    let mut text = rules(role.permissions);
    if !role.paths.is_empty() {
        let paths: Vec<String> = role.paths.iter().map(|path| format!("{path:?}")).collect();
        let _ = writeln!(
            text,
            "  # {}\n  - nonResourceURLs: [{}]\n    verbs: [\"get\"]",
            role.why,
            paths.join(", ")
        );
    }
    text
}

/// The rules of a role. Permissions for one resource are one rule, with all their reasons.
pub(super) fn rules(permissions: &[Permission]) -> String {
    let mut order = Vec::new();
    let mut joined: BTreeMap<(&str, &str), Vec<&Permission>> = BTreeMap::new();
    for permission in permissions {
        let target = (permission.group, permission.resource);
        if !joined.contains_key(&target) {
            order.push(target);
        }
        joined.entry(target).or_default().push(permission);
    }
    let mut text = String::from("rules:\n");
    for target in order {
        let all = &joined[&target];
        // Several operators may have the same reason for the same resource.
        for why in without_repetition(all.iter().map(|permission| permission.why)) {
            let _ = writeln!(text, "  # {why}");
        }
        let verbs = without_repetition(all.iter().flat_map(|permission| permission.verbs.iter().copied()));
        let (group, resource) = target;
        let quoted: Vec<String> = verbs.iter().map(|verb| format!("{verb:?}")).collect();
        let _ = writeln!(
            text,
            "  - apiGroups: [{group:?}]\n    resources: [{resource:?}]\n    verbs: [{}]",
            quoted.join(", ")
        );
    }
    text
}

fn without_repetition<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for word in words {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};
    use mainstay::products;

    use crate::manifests::{definitions, install};

    use super::*;

    #[test]
    fn permissions_for_one_resource_are_one_rule_with_all_reasons() {
        let permission = |resource, verbs, why| Permission { group: "apps", resource, verbs, why };
        let permissions = [
            permission("b", &["list"], "first"),
            permission("a", &["get"], "other"),
            permission("b", &["list", "patch"], "second"),
        ];
        let text = rules(&permissions);
        assert_eq!(
            text,
            "rules:\n  # first\n  # second\n  - apiGroups: [\"apps\"]\n    resources: [\"b\"]\n    verbs: [\"list\", \"patch\"]\n  # other\n  - apiGroups: [\"apps\"]\n    resources: [\"a\"]\n    verbs: [\"get\"]\n"
        );
        let read: BTreeMap<String, Vec<PolicyRule>> = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read["rules"].len(), 2);
    }

    #[test]
    fn no_role_has_all_permissions() {
        let roles = install::roles_of(products::ALL, &definitions::all().unwrap()).unwrap();
        let roles: Vec<ClusterRole> = serde_saphyr::from_multiple(&roles).unwrap();
        assert_eq!(roles.len(), 5);
        for role in roles {
            let name = role.metadata.name.unwrap();
            for rule in role.rules.unwrap() {
                let lists = [rule.api_groups, rule.resources, rule.non_resource_urls, Some(rule.verbs)];
                let words: Vec<String> = lists.into_iter().flatten().flatten().collect();
                assert!(!words.iter().any(|word| word.contains('*')), "{name}: {words:?}");
                let is_secret = words.iter().any(|word| word == "secrets");
                assert!(!is_secret || name == "mainstay", "{name}: {words:?}");
            }
        }
        for permission in of(products::ALL).into_iter().chain(IN_NAMESPACE) {
            assert!(!permission.why.is_empty() && !permission.verbs.contains(&"*"), "{permission:?}");
        }
    }

    /// YAML files below a directory, without build output and generated files.
    fn manifests(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
            if path.is_dir() && !name.starts_with('.') && !["target", "deploy"].contains(&name.as_str()) {
                manifests(&path, found);
            } else if is_yaml {
                found.push(path);
            }
        }
    }

    #[test]
    fn no_role_is_written_by_hand() {
        let mut found = Vec::new();
        manifests(&crate::environment::workspace(), &mut found);
        assert!(!found.is_empty(), "there are samples");
        for path in found {
            let text = std::fs::read_to_string(&path).unwrap();
            // An indented `kind` belongs to the role that a binding refers to.
            let role =
                text.lines().find(|line| ["kind: Role", "kind: ClusterRole"].contains(&line.trim_end()));
            assert_eq!(
                role,
                None,
                "{}: a role follows from a declaration; see xtask/src/manifests/role.rs",
                path.display()
            );
        }
    }
}
