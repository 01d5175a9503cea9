//! Rights that are missing. They are heard of where all requests pass, from what the server denies and from what it
//! answers when it is asked about a right: so nobody who does without something has to tell of it. A right is missing until
//! the server grants a request that needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview};
use kube::core::Status;

use super::measured::Samples;
use crate::call::{Call, Purpose, Verb};

const FORBIDDEN: u16 = 403;

/// A resource, with its subresource if there is one, and a verb. There are as many as the program has requests.
type Permission = (String, String);
/// Namespaces; nothing stands for the whole cluster.
type Places = BTreeSet<Option<String>>;

/// The rights that are missing, and where. Cheap to clone; all clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Missing(Arc<Mutex<BTreeMap<Permission, Places>>>);

impl Missing {
    /// One for each that is missing anywhere.
    pub(super) fn samples(&self) -> Samples<2> {
        self.all().keys().map(|(resource, verb)| ([resource.clone(), verb.clone()], 1.0)).collect()
    }

    /// Whether the body of an answer tells something about rights.
    pub(super) fn must_read(call: &Call, code: u16) -> bool {
        code == FORBIDDEN || is_question(call)
    }

    /// The server has answered. The body counts only if it must be read.
    pub(super) fn hear(&self, call: &Call, code: u16, body: &[u8]) {
        if code == FORBIDDEN {
            let message = serde_json::from_slice::<Status>(body).map(|status| status.message);
            if let Some((verb, resource)) = message.as_deref().ok().and_then(denied_permission) {
                self.lacks((resource.to_owned(), verb.to_owned()), call.namespace.clone());
            }
        } else if is_question(call) {
            if let Ok(answer) = serde_json::from_slice(body) {
                self.learn(answer);
            }
        } else if is_authorized(code) {
            let right = (named(&call.resource, call.subresource.as_deref()), call.verb.as_str().to_owned());
            self.has(&right, call.namespace.as_deref());
        }
    }

    fn learn(&self, answer: SelfSubjectAccessReview) {
        let (Some(about), Some(status)) = (answer.spec.resource_attributes, answer.status) else { return };
        let ResourceAttributes { namespace, resource, subresource, verb, .. } = about;
        let resource = named(&resource.unwrap_or_default(), subresource.as_deref());
        let (right, place) =
            ((resource, verb.unwrap_or_default()), namespace.filter(|name| !name.is_empty()));
        if status.allowed {
            self.has(&right, place.as_deref());
        } else {
            self.lacks(right, place);
        }
    }

    fn lacks(&self, right: Permission, place: Option<String>) {
        self.all().entry(right).or_default().insert(place);
    }

    /// Who has a right in the whole cluster has it everywhere.
    fn has(&self, right: &Permission, place: Option<&str>) {
        let mut all = self.all();
        let Some(places) = all.get_mut(right) else { return };
        places.retain(|known| place.is_some() && known.as_deref() != place);
        if places.is_empty() {
            all.remove(right);
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Permission, Places>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The verb and the resource that the server says we have no right to. It says 403 for other reasons too: a quota, a
/// policy, a namespace that is on its way out.
pub(crate) fn denied_permission(message: &str) -> Option<(&str, &str)> {
    let (_, rest) = message.split_once(" cannot ")?;
    let (verb, rest) = rest.split_once(" resource \"")?;
    let (resource, _) = rest.split_once('"')?;
    (!verb.contains(' ')).then_some((verb, resource))
}

/// Whether it asks what we may do.
fn is_question(call: &Call) -> bool {
    call.purpose == Purpose::Review
        && call.verb == Verb::Create
        && call.resource == "selfsubjectaccessreviews"
}

/// Whether the server has looked further than at our rights.
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

    fn hear(missing: &Missing, method: &str, uri: &'static str, (code, body): (u16, &Value)) {
        let method: Method = method.parse().unwrap();
        let call = Call::of(&method, &Uri::from_static(uri), None);
        let text = body.to_string();
        let body = if Missing::must_read(&call, code) { text.as_bytes() } else { &[] };
        missing.hear(&call, code, body);
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
    fn a_right_is_missing_from_its_denial_until_a_request_is_granted() {
        let missing = Missing::default();
        let watch = "/api/v1/pods?watch=true";
        hear(&missing, "GET", watch, (403, &denial("watch resource \"pods\"")));
        let evict = "/api/v1/namespaces/n/pods/a/eviction";
        hear(&missing, "POST", evict, (403, &denial("create resource \"pods/eviction\"")));
        assert_eq!(names(&missing), ["watch pods", "create pods/eviction"]);
        // That we may look says nothing about watching; that a server is down says nothing at all.
        hear(&missing, "GET", "/api/v1/pods", (200, &Value::Null));
        hear(&missing, "GET", watch, (503, &Value::Null));
        hear(&missing, "POST", evict, (201, &Value::Null));
        assert_eq!(names(&missing), ["watch pods"]);
        hear(&missing, "GET", watch, (200, &Value::Null));
        assert_eq!(names(&missing), Vec::<String>::new());
    }

    #[test]
    fn a_right_that_came_in_one_namespace_is_still_missing_in_another() {
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
            hear(&missing, "POST", uri, (201, &review(namespace, allowed)));
            assert_eq!(names(&missing), expected, "{namespace} {allowed}");
        }
    }

    #[test]
    fn a_quota_and_a_policy_are_no_missing_right() {
        let missing = Missing::default();
        for message in [
            "persistentvolumeclaims \"a\" is forbidden: exceeded quota: q, requested: requests.storage=1Gi",
            "admission webhook \"p\" denied the request: you cannot do that",
            "",
        ] {
            let uri = "/api/v1/namespaces/n/persistentvolumeclaims/a";
            hear(
                &missing,
                "PATCH",
                uri,
                (403, &json!({"status": "Failure", "code": 403, "message": message})),
            );
        }
        assert_eq!(names(&missing), Vec::<String>::new());
    }
}
