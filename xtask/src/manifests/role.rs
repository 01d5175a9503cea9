//! The rights of the operators, each with a comment that says why. No role is written by hand: it follows from what an
//! operator declares that it watches and owns.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kernel::declare::{Declaration, Right};

/// What the process itself does, whatever runs in it.
pub(super) const OF_THE_PROCESS: [Right; 1] = [Right {
    group: "events.k8s.io",
    resource: "events",
    verbs: &["create", "patch"],
    why: "events about resources",
}];

/// What it does in its own namespace.
pub(super) const AT_HOME: [Right; 1] = [Right {
    group: "coordination.k8s.io",
    resource: "leases",
    verbs: &["get", "create", "update"],
    why: "one process of several writes: the one with the lease",
}];

/// The rights that follow from declarations, one rule a resource.
pub(super) fn of(declarations: &[&Declaration]) -> Vec<Right> {
    let declared = declarations.iter().flat_map(|declaration| declaration.all_rights());
    declared.chain(OF_THE_PROCESS).collect()
}

/// The rules of a role. Rights to one resource are one rule, with all their reasons.
pub(super) fn rules(rights: &[Right]) -> String {
    let mut order = Vec::new();
    let mut joined: BTreeMap<(&str, &str), Vec<&Right>> = BTreeMap::new();
    for right in rights {
        let place = (right.group, right.resource);
        if !joined.contains_key(&place) {
            order.push(place);
        }
        joined.entry(place).or_default().push(right);
    }
    let mut text = String::from("rules:\n");
    for place in order {
        let all = &joined[&place];
        let mut verbs: Vec<&str> = Vec::new();
        for right in all {
            let new = right.verbs.iter().filter(|verb| !verbs.contains(verb)).copied().collect::<Vec<_>>();
            verbs.extend(new);
            let _ = writeln!(text, "  # {}", right.why);
        }
        let (group, resource) = place;
        let quoted: Vec<String> = verbs.iter().map(|verb| format!("{verb:?}")).collect();
        let _ = writeln!(
            text,
            "  - apiGroups: [{group:?}]\n    resources: [{resource:?}]\n    verbs: [{}]",
            quoted.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use k8s_openapi::api::rbac::v1::PolicyRule;

    use super::*;

    #[test]
    fn rights_to_one_resource_are_one_rule_with_all_reasons() {
        let right = |resource, verbs, why| Right { group: "apps", resource, verbs, why };
        let rights = [
            right("b", &["list"], "first"),
            right("a", &["get"], "other"),
            right("b", &["list", "patch"], "second"),
        ];
        let text = rules(&rights);
        assert_eq!(
            text,
            "rules:\n  # first\n  # second\n  - apiGroups: [\"apps\"]\n    resources: [\"b\"]\n    verbs: [\"list\", \"patch\"]\n  # other\n  - apiGroups: [\"apps\"]\n    resources: [\"a\"]\n    verbs: [\"get\"]\n"
        );
        let read: BTreeMap<String, Vec<PolicyRule>> = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read["rules"].len(), 2);
    }

    #[test]
    fn nobody_gets_everything() {
        for right in of(&[&operator_example::DECLARATION]) {
            assert!(!right.why.is_empty() && right.resource != "*" && right.group != "*", "{right:?}");
            assert!(!right.verbs.contains(&"*"), "{right:?}");
        }
    }

    /// YAML files below a directory, except what is built, and the one whose roles are generated.
    fn manifests(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                manifests(&path, found);
            } else if is_yaml && !path.ends_with("deploy/install.yaml") {
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
            let role = text.lines().find(|line| ["kind: Role", "kind: ClusterRole"].contains(&line.trim()));
            assert_eq!(
                role,
                None,
                "{}: a role follows from a declaration; see xtask/src/manifests/role.rs",
                path.display()
            );
        }
    }
}
