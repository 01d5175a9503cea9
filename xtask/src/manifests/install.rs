//! Installations in one file: `kubectl apply --server-side -f deploy/install.yaml` is sufficient. A second file
//! contains only the operators for monitoring, and a third only their roles, for users who replace the Prometheus
//! Operator.

use anyhow::Result;
use product::Product;
use serde_json::{Value, json};

use super::definitions::Definition;
use super::{NAME, NAMESPACE, RBAC, deployment, labels, own, role, stream, user_roles, yaml};

/// All objects that these operators need.
pub(super) fn of(products: &[&Product], definitions: &[Definition]) -> Result<String> {
    let served = served(products, definitions);
    let mut parts: Vec<String> = served.iter().map(|definition| definition.text.clone()).collect();
    parts.extend([
        yaml(&namespace())?,
        yaml(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": own()}))?,
    ]);
    parts.extend(roles(products, &served)?);
    parts.extend([
        yaml(&binding("ClusterRole", &json!({"name": NAME, "labels": labels()})))?,
        role_with("Role", &own(), &role::rules(&role::IN_NAMESPACE))?,
        yaml(&binding("Role", &own()))?,
        yaml(&deployment::build(products)?)?,
        yaml(&deployment::service()?)?,
    ]);
    Ok(stream(parts))
}

/// Only their roles.
pub(super) fn roles_of(products: &[&Product], definitions: &[Definition]) -> Result<String> {
    Ok(stream(roles(products, &served(products, definitions))?))
}

/// The CRDs of the resources that these operators serve.
fn served<'a>(products: &[&Product], definitions: &'a [Definition]) -> Vec<&'a Definition> {
    definitions.iter().filter(|definition| products.contains(&definition.product)).collect()
}

/// The cluster roles: of the operators, of the programs that they run, of users.
fn roles(products: &[&Product], served: &[&Definition]) -> Result<Vec<String>> {
    let metadata = |name: &str| json!({"name": name, "labels": labels()});
    let mut roles = vec![role_with("ClusterRole", &metadata(NAME), &role::of_cluster(products))?];
    for role in products.iter().flat_map(|product| product.roles) {
        roles.push(role_with("ClusterRole", &metadata(role.name), &role::of_operand(role))?);
    }
    for role in user_roles::of(served) {
        roles.push(yaml(&role)?);
    }
    Ok(roles)
}

/// A role whose rules are text, because they contain comments.
fn role_with(kind: &str, metadata: &Value, rules: &str) -> Result<String> {
    Ok(format!("{}{rules}", yaml(&json!({"apiVersion": RBAC, "kind": kind, "metadata": metadata}))?))
}

fn namespace() -> Value {
    let mut labels = labels();
    labels["pod-security.kubernetes.io/enforce"] = "restricted".into();
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}})
}

fn binding(kind: &str, metadata: &Value) -> Value {
    json!({
        "apiVersion": RBAC, "kind": format!("{kind}Binding"), "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": NAME},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
    })
}

#[cfg(test)]
mod tests {
    use mainstay::products;

    use crate::manifests::definitions;

    use super::*;

    /// Kind and name of each object of a file. The file is not parsed, because it may be too large for a test.
    fn names(text: &str) -> Vec<String> {
        let word = |object: &str, key: &str| {
            object.lines().find_map(|line| line.strip_prefix(key)).unwrap().to_owned()
        };
        let objects = text.split("---\n").skip(1);
        objects.map(|object| [word(object, "kind: "), word(object, "  name: ")].join(" ")).collect()
    }

    fn expected(definitions: &[Definition], products: &[&Product]) -> Vec<String> {
        let served = served(products, definitions).into_iter();
        let served = served.map(|one| format!("CustomResourceDefinition {}.{}", one.plural(), one.group()));
        served.chain(REST.map(str::to_owned)).collect()
    }

    const REST: [&str; 12] = [
        "Namespace mainstay-system",
        "ServiceAccount mainstay",
        "ClusterRole mainstay",
        "ClusterRole mainstay-scrape",
        "ClusterRole mainstay-view",
        "ClusterRole mainstay-edit",
        "ClusterRole mainstay-workloads",
        "ClusterRoleBinding mainstay",
        "Role mainstay",
        "RoleBinding mainstay",
        "Deployment mainstay",
        "Service mainstay",
    ];

    #[test]
    fn an_installation_contains_only_what_its_operators_need() {
        let definitions = definitions::all().unwrap();
        let (all, one) = (products::ALL, [&operator_monitoring::PRODUCT]);
        let counted = [expected(&definitions, all).len(), expected(&definitions, &one).len()];
        assert_eq!(counted, [11 + REST.len(), 10 + REST.len()]);
        assert_eq!(names(&of(all, &definitions).unwrap()), expected(&definitions, all));
        let monitoring = of(&one, &definitions).unwrap();
        assert_eq!(names(&monitoring), expected(&definitions, &one));
        assert!(!monitoring.contains("exampleapps"), "no permission of another operator");
        let roles: Vec<&str> = REST.into_iter().filter(|name| name.starts_with("ClusterRole ")).collect();
        assert_eq!(names(&roles_of(&one, &definitions).unwrap()), roles);
    }
}
