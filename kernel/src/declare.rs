//! What an operator watches, owns and may do, said once: watches, pruning and the generated roles follow from it.

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
    /// In the cluster: lists of namespaces say nothing about them.
    Cluster,
}

/// A scope as the types of Kubernetes' own kinds tell it.
pub trait Known {
    /// Which it is.
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
    /// A kind that Kubernetes has.
    pub const fn of<K: k8s_openapi::Resource<Scope: Known>>() -> Self {
        Self {
            group: K::GROUP,
            version: K::VERSION,
            kind: K::KIND,
            plural: K::URL_PATH_SEGMENT,
            scope: K::Scope::SCOPE,
        }
    }

    /// As the client wants it.
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
    /// Only their metadata: there may be many of them that are nobody's business. Who needs more asks for it.
    Metadata,
    /// All that the operator needs.
    Full,
}

/// Which objects of a kind go that a resource owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prune {
    /// Every one that a complete plan neither wants nor spares: what a plan stops naming is deleted.
    Unnamed,
    /// Only those that a plan names for deletion: what it stops naming stays, for it holds what cannot be made anew, or
    /// something else than a plan decides how long it is needed.
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
    /// Labels that all of them have that are anybody's business, as a selector of labels: no others are looked at. The
    /// objects that are written must have them. The watch is wider if another operator of the process looks at more.
    pub selector: Option<&'static str>,
    /// Which of them go.
    pub prune: Prune,
    /// Takes over into what is wanted what stays of the object that is there.
    pub keeps: fn(&mut Value, &Value),
    /// Whether the operator can do without a watch of it, or without the kind: then it asks for each object when it needs
    /// it, and says so if it may not.
    pub optional: bool,
    /// What it is for: a comment in the role.
    pub why: &'static str,
}

/// Nothing stays but what the writer keeps anyway: labels and annotations of others, and what only the server decides.
pub fn keep_nothing(_wanted: &mut Value, _present: &Value) {}

/// A kind that the operator looks at and that others make.
#[derive(Debug, Clone, Copy)]
pub struct Watched {
    /// The kind.
    pub kind: Kind,
    /// Which resource of ours an object concerns, if any and if that can be told from the object alone.
    pub concerns: fn(&Object) -> Option<Key>,
    /// Labels that all of them have that are anybody's business, as a selector of labels: no others are looked at. The
    /// watch is wider if another operator of the process looks at more.
    pub selector: Option<&'static str>,
    /// How much of it is known.
    pub detail: Detail,
    /// Cuts an object down to what is needed. Elements of lists stay in their places, so that what several need can be
    /// kept.
    pub trim: fn(&mut DynamicObject),
    /// Whether the operator can do without: then missing rights or a missing kind switch it off.
    pub optional: bool,
    /// What it is for: a comment in the role.
    pub why: &'static str,
}

/// Something that the operator does beside watching, writing its own objects and its resources' status.
#[derive(Debug, Clone, Copy)]
pub struct Permission {
    /// API group.
    pub group: &'static str,
    /// Resource, with its subresource if there is one.
    pub resource: &'static str,
    /// What is done.
    pub verbs: &'static [&'static str],
    /// What it is for: a comment in the role.
    pub why: &'static str,
}

/// What an operator is made of.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Its name, as in `--operators` and in metrics.
    pub name: &'static str,
    /// The kind that users write.
    pub primary: Kind,
    /// Holds the deletion of a resource back until we have cleaned up.
    pub finalizer: &'static str,
    /// What it writes.
    pub owned: &'static [Owned],
    /// What it looks at.
    pub watched: &'static [Watched],
    /// What else it does.
    pub permissions: &'static [Permission],
    /// Field managers whose work it carries on.
    pub predecessors: &'static [&'static str],
    /// The field manager under whose name status is applied, whole, where somebody else may have to carry on with it;
    /// else only what changed is written.
    pub status_manager: Option<&'static str>,
}

impl Declaration {
    /// Which resource of ours an object of some kind concerns.
    pub fn concerns(&self, kind: Kind, object: &Object) -> Option<Key> {
        if kind == self.primary {
            return Some(object.key().clone());
        }
        if let Some(watched) = self.watched.iter().find(|watched| watched.kind == kind) {
            return (watched.concerns)(object);
        }
        let owner = object.controller().filter(|owner| owner.is_a(self.primary))?;
        // What a resource of the cluster owns may be in any namespace.
        let namespace = match self.primary.scope {
            Scope::Namespaces => &*object.key().namespace,
            Scope::Cluster => "",
        };
        Some(Key::new(namespace, &owner.name))
    }

    /// How much must be known of the objects of a kind.
    pub fn detail(&self, kind: Kind) -> Option<Detail> {
        let owned = self.owned.iter().filter(|owned| owned.kind == kind).map(|owned| owned.detail);
        let watched =
            self.watched.iter().filter(|watched| watched.kind == kind).map(|watched| watched.detail);
        let primary = (self.primary == kind).then_some(Detail::Full);
        owned.chain(watched).chain(primary).max()
    }

    /// The labels of all objects of a kind that are the operator's business, for each reason to look at them.
    pub fn selectors(&self, kind: Kind) -> impl Iterator<Item = Option<&'static str>> {
        let owned = self.owned.iter().filter(move |owned| owned.kind == kind).map(|owned| owned.selector);
        let watched =
            self.watched.iter().filter(move |watched| watched.kind == kind).map(|watched| watched.selector);
        let primary = (self.primary == kind).then_some(None);
        owned.chain(watched).chain(primary)
    }

    /// Whether the operator can do without a watch of a kind.
    pub fn is_optional(&self, kind: Kind) -> bool {
        let owned = self.owned.iter().filter(|owned| owned.kind == kind).map(|owned| owned.optional);
        let watched =
            self.watched.iter().filter(|watched| watched.kind == kind).map(|watched| watched.optional);
        kind != self.primary && owned.chain(watched).all(|optional| optional)
    }

    /// What stays of an object of a kind.
    pub fn keeps(&self, kind: Kind) -> Option<fn(&mut Value, &Value)> {
        self.owned.iter().find(|owned| owned.kind == kind).map(|owned| owned.keeps)
    }

    /// Every kind that must be watched.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let owned = self.owned.iter().map(|owned| owned.kind);
        let watched = self.watched.iter().map(|watched| watched.kind);
        std::iter::once(self.primary).chain(owned).chain(watched)
    }

    /// The rights that follow, in the order of a role.
    pub fn all_permissions(&self) -> Vec<Permission> {
        let mut rights = vec![Permission {
            group: self.primary.group,
            resource: self.primary.plural,
            verbs: &["list", "watch", "patch"],
            why: "the resources themselves; patched to set, or take away, what holds back their deletion",
        }];
        for owned in self.owned {
            let verbs: &[&str] = match owned.way {
                Way::Apply => &["get", "list", "watch", "create", "patch", "update", "delete"],
                Way::Replace => &["get", "list", "watch", "create", "update", "delete"],
            };
            rights.push(Permission {
                group: owned.kind.group,
                resource: owned.kind.plural,
                verbs,
                why: owned.why,
            });
        }
        for watched in self.watched {
            let verbs = &["list", "watch"];
            rights.push(Permission {
                group: watched.kind.group,
                resource: watched.kind.plural,
                verbs,
                why: watched.why,
            });
        }
        rights.extend(self.permissions);
        rights
    }
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
    fn an_object_concerns_its_owner_of_our_kind_and_group() {
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
