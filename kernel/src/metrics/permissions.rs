//! Permissions that are missing. They are derived from the answers to all requests: from denials and from access
//! reviews. So a feature that is off need not report them. A permission is missing until the server grants a request that
//! requires it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview};
use kube::core::Status;
use parking_lot::Mutex;

use super::measured::Samples;
use crate::call::{Call, Purpose, Verb};
use crate::clock;

const FORBIDDEN: u16 = 403;

/// How long a denial counts that does not come again. Permissions are requested more often as long as they are needed, but
/// nothing reports that a namespace is gone.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(24);

/// A resource, with its subresource if there is one, and a verb. Their number is bounded by the kinds of requests.
type Permission = (String, String);
/// When the permission was last denied in each namespace; `None` stands for the whole cluster.
type Denials = BTreeMap<Option<String>, Instant>;

/// The permissions that are missing, and where. Cheap to clone; all clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Missing(Arc<Mutex<BTreeMap<Permission, Denials>>>);

impl Missing {
    /// One sample for each permission that is missing in any namespace.
    pub(super) fn samples(&self) -> Samples<2> {
        self.0.lock().keys().map(|(resource, verb)| ([resource.clone(), verb.clone()], 1.0)).collect()
    }

    /// Whether the body of an answer contains information about permissions.
    pub(super) fn must_read(call: &Call, code: u16) -> bool {
        code == FORBIDDEN || is_access_review(call)
    }

    /// Records an answer of the server. The body is used only if it must be read.
    pub(super) fn learn(&self, call: &Call, code: u16, body: &[u8]) {
        if code == FORBIDDEN {
            let message = serde_json::from_slice::<Status>(body).map(|status| status.message);
            if let Some((verb, resource)) = message.as_deref().ok().and_then(denied_permission) {
                self.lacks((resource.to_owned(), verb.to_owned()), call.namespace.clone());
            }
        } else if is_access_review(call) {
            if let Ok(answer) = serde_json::from_slice(body) {
                self.learn_review(answer);
            }
        } else if is_authorized(code) {
            let permission =
                (named(&call.resource, call.subresource.as_deref()), call.verb.as_str().to_owned());
            self.has(&permission, call.namespace.as_deref());
        }
    }

    fn learn_review(&self, answer: SelfSubjectAccessReview) {
        let (Some(about), Some(status)) = (answer.spec.resource_attributes, answer.status) else { return };
        let ResourceAttributes { namespace, resource, subresource, verb, .. } = about;
        let resource = named(&resource.unwrap_or_default(), subresource.as_deref());
        let permission = (resource, verb.unwrap_or_default());
        let namespace = namespace.filter(|name| !name.is_empty());
        if status.allowed {
            self.has(&permission, namespace.as_deref());
        } else {
            self.lacks(permission, namespace);
        }
    }

    fn lacks(&self, permission: Permission, namespace: Option<String>) {
        self.denied(permission, namespace, clock::now());
    }

    fn denied(&self, permission: Permission, namespace: Option<String>, now: Instant) {
        let mut all = self.0.lock();
        all.retain(|_, denials| {
            denials.retain(|_, at| now.saturating_duration_since(*at) < FORGOTTEN_AFTER);
            !denials.is_empty()
        });
        all.entry(permission).or_default().insert(namespace, now);
    }

    /// Removes a permission that was granted. A permission in the whole cluster applies to every namespace.
    fn has(&self, permission: &Permission, namespace: Option<&str>) {
        let mut all = self.0.lock();
        let Some(denials) = all.get_mut(permission) else { return };
        denials.retain(|known, _| namespace.is_some() && known.as_deref() != namespace);
        if denials.is_empty() {
            all.remove(permission);
        }
    }
}

/// The verb and the resource that the server denies. It answers 403 for other reasons too: a quota, a policy, a namespace
/// that is being deleted.
pub(crate) fn denied_permission(message: &str) -> Option<(&str, &str)> {
    let (_, rest) = message.split_once(" cannot ")?;
    let (verb, rest) = rest.split_once(" resource \"")?;
    let (resource, _) = rest.split_once('"')?;
    (!verb.contains(' ')).then_some((verb, resource))
}

/// Whether it is a review of our own permissions.
fn is_access_review(call: &Call) -> bool {
    call.purpose == Purpose::Review
        && call.verb == Verb::Create
        && call.resource == "selfsubjectaccessreviews"
}

/// Whether the server authorized the request.
fn is_authorized(code: u16) -> bool {
    matches!(code, 200..=299 | 404 | 409 | 422)
}

fn named(resource: &str, subresource: Option<&str>) -> String {
    match subresource {
        Some(subresource) if !subresource.is_empty() => format!("{resource}/{subresource}"),
        _ => resource.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, Uri};
    use serde_json::{Value, json};

    use super::*;

    fn learn(missing: &Missing, method: &str, uri: &'static str, (code, body): (u16, &Value)) {
        let method: Method = method.parse().unwrap();
        let call = Call::of(&method, &Uri::from_static(uri), None);
        let text = body.to_string();
        let body = if Missing::must_read(&call, code) { text.as_bytes() } else { &[] };
        missing.learn(&call, code, body);
    }

    fn names(missing: &Missing) -> Vec<String> {
        missing.samples().into_iter().map(|([resource, verb], _)| format!("{verb} {resource}")).collect()
    }

    fn denial(what: &str) -> Value {
        let message =
            format!("x is forbidden: User \"u\" cannot {what} in API group \"\" at the cluster scope");
        json!({"status": "Failure", "code": 403, "message": message})
    }

    #[test]
    fn a_permission_is_missing_from_its_denial_until_a_request_is_granted() {
        let missing = Missing::default();
        let watch = "/api/v1/pods?watch=true";
        learn(&missing, "GET", watch, (403, &denial("watch resource \"pods\"")));
        let evict = "/api/v1/namespaces/n/pods/a/eviction";
        learn(&missing, "POST", evict, (403, &denial("create resource \"pods/eviction\"")));
        assert_eq!(names(&missing), ["watch pods", "create pods/eviction"]);
        // Permission to list is not permission to watch, and a failing server neither grants nor denies.
        learn(&missing, "GET", "/api/v1/pods", (200, &Value::Null));
        learn(&missing, "GET", watch, (503, &Value::Null));
        learn(&missing, "POST", evict, (201, &Value::Null));
        assert_eq!(names(&missing), ["watch pods"]);
        learn(&missing, "GET", watch, (200, &Value::Null));
        assert_eq!(names(&missing), Vec::<String>::new());
    }

    #[test]
    fn a_permission_that_is_granted_in_one_namespace_is_still_missing_in_another() {
        let missing = Missing::default();
        let review = |namespace: &str, allowed: bool| {
            let about = json!({"namespace": namespace, "resource": "pods", "verb": "patch"});
            json!({"spec": {"resourceAttributes": about}, "status": {"allowed": allowed}})
        };
        let uri = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        for (namespace, allowed, expected) in [
            ("a", false, &["patch pods"][..]),
            ("b", false, &["patch pods"]),
            ("a", true, &["patch pods"]),
            ("b", true, &[]),
        ] {
            learn(&missing, "POST", uri, (201, &review(namespace, allowed)));
            assert_eq!(names(&missing), expected, "{namespace} {allowed}");
        }
    }

    #[test]
    fn a_denial_that_does_not_come_again_is_forgotten() {
        let missing = Missing::default();
        let (start, patch) = (clock::now(), ("pods".to_owned(), "patch".to_owned()));
        for (namespace, hours) in [("deleted", 0), ("present", 23), ("other", 24)] {
            missing.denied(patch.clone(), Some(namespace.into()), start + Duration::from_hours(hours));
        }
        let known: Vec<_> = missing.0.lock()[&patch].keys().flatten().cloned().collect();
        assert_eq!(known, ["other", "present"]);
    }

    #[test]
    fn a_quota_or_a_policy_is_not_a_missing_permission() {
        let missing = Missing::default();
        for message in [
            "persistentvolumeclaims \"a\" is forbidden: exceeded quota: q, requested: requests.storage=1Gi",
            "admission webhook \"p\" denied the request: you cannot do that",
            "",
        ] {
            let uri = "/api/v1/namespaces/n/persistentvolumeclaims/a";
            learn(
                &missing,
                "PATCH",
                uri,
                (403, &json!({"status": "Failure", "code": 403, "message": message})),
            );
        }
        assert_eq!(names(&missing), Vec::<String>::new());
    }
}
