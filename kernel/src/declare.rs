//! What an operator watches, owns and is permitted to do: watches, pruning and the generated roles follow from it.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::api::{ApiResource, DynamicObject};

use serde_json::Value;

use crate::apply::Way;
use crate::object::{Key, Object};

/// Where objects of a kind live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// In namespaces.
    Namespaces,
    /// In the cluster: lists of namespaces do not apply to them.
    Cluster,
}

/// The scope of a type of Kubernetes.
pub trait Known {
    /// The scope.
    const SCOPE: Scope;
}

impl Known for NamespaceResourceScope {
    const SCOPE: Scope = Scope::Namespaces;
}

impl Known for ClusterResourceScope {
    const SCOPE: Scope = Scope::Cluster;
}

/// A kind of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind {
    /// API group; empty for the core.
    pub group: &'static str,
    /// API version.
    pub version: &'static str,
    /// As in `kind:`.
    pub kind: &'static str,
    /// As in a URL and in roles.
    pub plural: &'static str,
    /// Where its objects live.
    pub scope: Scope,
}

impl Kind {
    /// A built-in kind of Kubernetes.
    pub const fn of<K: k8s_openapi::Resource<Scope: Known>>() -> Self {
        Self {
            group: K::GROUP,
            version: K::VERSION,
            kind: K::KIND,
            plural: K::URL_PATH_SEGMENT,
            scope: K::Scope::SCOPE,
        }
    }

    /// For the client.
    pub fn resource(&self) -> ApiResource {
        ApiResource {
            group: self.group.into(),
            version: self.version.into(),
            api_version: self.api_version(),
            kind: self.kind.into(),
            plural: self.plural.into(),
        }
    }

    /// As in `apiVersion:`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.into() } else { format!("{}/{}", self.group, self.version) }
    }
}

/// How much is known of the objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Detail {
    /// Only their metadata: there may be many that no operator uses. The rest is read when it is needed.
    Metadata,
    /// Everything that the operator needs.
    Full,
}

/// Which objects of a kind that a resource owns are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prune {
    /// All that a complete plan neither names nor spares.
    Unnamed,
    /// Only those that a plan names for deletion. The others stay, because their data cannot be recreated, or because
    /// something other than a plan decides how long they are needed.
    Named,
}

/// A kind that the operator writes for its resources, and prunes.
#[derive(Debug, Clone, Copy)]
pub struct Owned {
    /// The kind.
    pub kind: Kind,
    /// How it is written.
    pub way: Way,
    /// How much of it is known.
    pub detail: Detail,
    /// A label selector: the operator watches no other objects of the kind. The objects that are written must match it. The
    /// watch is wider if another operator of the process needs more.
    pub selector: Option<&'static str>,
    /// Which of them are pruned.
    pub prune: Prune,
    /// Copies into the desired object what must be kept of the present one.
    pub keeps: fn(&mut Value, &Value),
    /// Whether the operator works without a watch of the kind, or without the kind: then it reads each object when it needs
    /// it, and logs it if it has no permission.
    pub optional: bool,
    /// What it is for: a comment in the role.
    pub why: &'static str,
}

/// Keeps nothing beyond what the writer always keeps: labels and annotations of others, and fields that only the server
/// sets.
pub fn keep_nothing(_wanted: &mut Value, _present: &Value) {}

/// A kind that the operator reads and that others write.
#[derive(Debug, Clone, Copy)]
pub struct Watched {
    /// The kind.
    pub kind: Kind,
    /// The resource of ours that an object affects, if that follows from the object alone.
    pub concerns: fn(&Object) -> Option<Key>,
    /// A label selector: the operator watches no other objects of the kind. The watch is wider if another operator of the
    /// process needs more.
    pub selector: Option<&'static str>,
    /// How much of it is known.
    pub detail: Detail,
    /// Removes what is not needed of an object. Elements of lists keep their positions, so that the needs of several
    /// operators can be merged.
    pub trim: fn(&mut DynamicObject),
    /// Whether the operator works without it: then the watch is off if the permission or the kind is missing.
    pub optional: bool,
    /// What it is for: a comment in the role.
    pub why: &'static str,
}

/// A permission beyond watching and writing owned objects.
#[derive(Debug, Clone, Copy)]
pub struct Permission {
    /// API group.
    pub group: &'static str,
    /// Resource, with its subresource if there is one.
    pub resource: &'static str,
    /// The verbs.
    pub verbs: &'static [&'static str],
    /// What it is for: a comment in the role.
    pub why: &'static str,
}

/// How an operator uses a kind.
struct Use {
    detail: Detail,
    selector: Option<&'static str>,
    optional: bool,
}

/// The declaration of an operator.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Its name, as in `--operators` and in metrics.
    pub name: &'static str,
    /// The kind that users write.
    pub primary: Kind,
    /// Delays the deletion of a resource until we have cleaned up. Empty if nothing has to be cleaned up and the resources
    /// are only read.
    pub finalizer: &'static str,
    /// The kinds that it writes.
    pub owned: &'static [Owned],
    /// The kinds that it reads.
    pub watched: &'static [Watched],
    /// What else it is permitted to do.
    pub permissions: &'static [Permission],
    /// Earlier field managers whose fields it takes over.
    pub predecessors: &'static [&'static str],
    /// The field manager under which the whole status is applied, so that another operator can take over. Without it only
    /// what changed is patched.
    pub status_manager: Option<&'static str>,
}

impl Declaration {
    /// The resource of ours that an object of a kind affects.
    pub fn concerns(&self, kind: Kind, object: &Object) -> Option<Key> {
        if kind == self.primary {
            return Some(object.key().clone());
        }
        if let Some(watched) = self.watched.iter().find(|watched| watched.kind == kind) {
            return (watched.concerns)(object);
        }
        let owner = object.controller().filter(|owner| owner.is_a(self.primary))?;
        // A cluster-scoped resource may own objects in any namespace.
        let namespace = match self.primary.scope {
            Scope::Namespaces => &*object.key().namespace,
            Scope::Cluster => "",
        };
        Some(Key::new(namespace, &owner.name))
    }

    /// Each way in which the operator uses a kind.
    fn uses(&self, kind: Kind) -> impl Iterator<Item = Use> {
        let owned = self.owned.iter().filter(move |owned| owned.kind == kind);
        let owned = owned.map(|&Owned { detail, selector, optional, .. }| Use { detail, selector, optional });
        let watched = self.watched.iter().filter(move |watched| watched.kind == kind);
        let watched =
            watched.map(|&Watched { detail, selector, optional, .. }| Use { detail, selector, optional });
        let primary = Use { detail: Detail::Full, selector: None, optional: false };
        owned.chain(watched).chain((self.primary == kind).then_some(primary))
    }

    /// How much must be known of the objects of a kind.
    pub fn detail(&self, kind: Kind) -> Option<Detail> {
        self.uses(kind).map(|one| one.detail).max()
    }

    /// The label selectors of a kind, one for each use.
    pub fn selectors(&self, kind: Kind) -> impl Iterator<Item = Option<&'static str>> {
        self.uses(kind).map(|one| one.selector)
    }

    /// Whether the operator works without a watch of a kind.
    pub fn is_optional(&self, kind: Kind) -> bool {
        self.uses(kind).all(|one| one.optional)
    }

    /// What is kept of an object of a kind.
    pub fn keeps(&self, kind: Kind) -> Option<fn(&mut Value, &Value)> {
        self.owned.iter().find(|owned| owned.kind == kind).map(|owned| owned.keeps)
    }

    /// Whether the operator declares that it writes objects of a kind.
    pub fn declares(&self, kind: Kind) -> bool {
        let is_of = |one: &Permission| (one.group, one.resource) == (kind.group, kind.plural);
        self.kinds().any(|known| known == kind)
            || self.permissions.iter().any(|one| is_of(one) && one.verbs.contains(&"update"))
    }

    /// Every kind that must be watched.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let owned = self.owned.iter().map(|owned| owned.kind);
        let watched = self.watched.iter().map(|watched| watched.kind);
        std::iter::once(self.primary).chain(owned).chain(watched)
    }

    /// All permissions that follow, in the order of a role.
    pub fn all_permissions(&self) -> Vec<Permission> {
        let (verbs, why): (&[&str], &str) = match self.finalizer {
            "" => (&["list", "watch"], "the resources themselves, which are only read"),
            _ => (
                &["list", "watch", "patch"],
                "the resources themselves; patched to add and remove their finalizer",
            ),
        };
        let mut permissions = vec![permission(self.primary, verbs, why)];
        for owned in self.owned {
            let verbs: &[&str] = match owned.way {
                Way::Apply => &["get", "list", "watch", "create", "patch", "update", "delete"],
                Way::Replace => &["get", "list", "watch", "create", "update", "delete"],
            };
            permissions.push(permission(owned.kind, verbs, owned.why));
        }
        for watched in self.watched {
            permissions.push(permission(watched.kind, &["list", "watch"], watched.why));
        }
        permissions.extend(self.permissions);
        permissions
    }
}

fn permission(kind: Kind, verbs: &'static [&'static str], why: &'static str) -> Permission {
    Permission { group: kind.group, resource: kind.plural, verbs, why }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use serde_json::json;

    use super::*;

    const GADGET: Kind = Kind {
        group: "example.com",
        version: "v1",
        kind: "Gadget",
        plural: "gadgets",
        scope: Scope::Namespaces,
    };
    const NOTHING: Declaration = Declaration {
        name: "test",
        primary: GADGET,
        finalizer: "test",
        owned: &[],
        watched: &[],
        permissions: &[],
        predecessors: &[],
        status_manager: None,
    };

    fn owned_by(version: &str, kind: &str) -> Object {
        let owner = json!({"apiVersion": version, "kind": kind, "name": "o", "uid": "1", "controller": true});
        let metadata = json!({"name": "a", "namespace": "n", "ownerReferences": [owner]});
        let object = json!({ "metadata": metadata });
        Object::new(serde_json::from_value(object).unwrap(), &Kind::of::<Secret>().resource())
    }

    #[test]
    fn an_object_affects_its_owner_of_our_kind_and_api_group() {
        let ours = Some(Key::new("n", "o"));
        let core = Declaration { primary: Kind::of::<ConfigMap>(), ..NOTHING };
        let wide = Declaration { primary: Kind { scope: Scope::Cluster, ..GADGET }, ..NOTHING };
        for (declaration, version, kind, expected) in [
            (NOTHING, "example.com/v1", "Gadget", ours.clone()),
            (NOTHING, "example.com/v1beta1", "Gadget", ours.clone()),
            (NOTHING, "other.example.com/v1", "Gadget", None),
            (NOTHING, "v1", "Gadget", None),
            (NOTHING, "example.com/v1", "Widget", None),
            (core, "v1", "ConfigMap", ours),
            (core, "example.com/v1", "ConfigMap", None),
            (wide, "example.com/v1", "Gadget", Some(Key::new("", "o"))),
            (wide, "other.example.com/v1", "Gadget", None),
        ] {
            let object = owned_by(version, kind);
            assert_eq!(declaration.concerns(Kind::of::<Secret>(), &object), expected, "{version} {kind}");
        }
    }
}
