//! Writes the bundle of authorities into the registrations of webhooks, so that the API server trusts them.
//!
//! Only webhooks that our own servers serve are changed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::{Api, Client};
use serde_json::Value;

/// A registration, by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InjectionTarget {
    /// A `ValidatingWebhookConfiguration`.
    Validating(String),
    /// A `MutatingWebhookConfiguration`.
    Mutating(String),
    /// The conversion of a `CustomResourceDefinition`.
    Conversion(String),
}

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injection {
    /// The bundle was there.
    Unchanged,
    /// The bundle was written.
    Written,
    /// There is no such object, or it registers no webhook of these names.
    Absent,
}

/// Why the bundle could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the trusted authorities to the {kind} `{name}`")]
pub struct InjectError {
    kind: String,
    name: String,
    #[source]
    source: kube::Error,
}

const CONFLICTS: usize = 5;

impl InjectionTarget {
    fn name(&self) -> &str {
        match self {
            Self::Validating(name) | Self::Mutating(name) | Self::Conversion(name) => name,
        }
    }

    fn resource(&self) -> ApiResource {
        match self {
            Self::Validating(_) => ApiResource::erase::<ValidatingWebhookConfiguration>(&()),
            Self::Mutating(_) => ApiResource::erase::<MutatingWebhookConfiguration>(&()),
            Self::Conversion(_) => ApiResource::erase::<CustomResourceDefinition>(&()),
        }
    }

    /// Writes the bundle for every webhook with one of these names, unless it is there.
    #[expect(clippy::disallowed_methods, reason = "the certificates of webhooks")]
    pub async fn inject(
        &self,
        client: &Client,
        trusted: &str,
        names: &[String],
    ) -> Result<Injection, InjectError> {
        let resource = self.resource();
        let failed = |source| InjectError { kind: resource.kind.clone(), name: self.name().into(), source };
        // As a dynamic object, so that fields of newer API versions are kept.
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        let mut conflicts = 0;
        loop {
            let Some(mut object) = api.get_opt(self.name()).await.map_err(failed)? else {
                return Ok(Injection::Absent);
            };
            let outcome = self.set_bundle(&mut object.data, &STANDARD.encode(trusted), names);
            if outcome != Injection::Written {
                return Ok(outcome);
            }
            match api.replace(self.name(), &PostParams::default(), &object).await {
                Ok(_) => return Ok(Injection::Written),
                // Another writer was faster: read again.
                Err(kube::Error::Api(status)) if status.code == 409 && conflicts < CONFLICTS => {
                    conflicts += 1;
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Sets the bundle in an object. Whether that changed it.
    fn set_bundle(&self, object: &mut Value, bundle: &str, names: &[String]) -> Injection {
        let mut configs: Vec<&mut Value> = match self {
            Self::Validating(_) | Self::Mutating(_) => {
                let webhooks = object["webhooks"].as_array_mut().into_iter().flatten();
                webhooks.filter_map(|webhook| webhook.get_mut("clientConfig")).collect()
            }
            Self::Conversion(_) => {
                object.pointer_mut("/spec/conversion/webhook/clientConfig").into_iter().collect()
            }
        };
        configs.retain(|config| host(config).is_some_and(|name| names.contains(&name)));
        if configs.is_empty() {
            return Injection::Absent;
        }
        let mut outcome = Injection::Unchanged;
        for config in configs {
            if config["caBundle"] != bundle {
                config["caBundle"] = bundle.into();
                outcome = Injection::Written;
            }
        }
        outcome
    }
}

/// The host name of a webhook, which its certificate must contain.
fn host(client: &Value) -> Option<String> {
    if let Some(url) = client["url"].as_str() {
        return Some(url.parse::<Uri>().ok()?.host()?.to_owned());
    }
    let service = &client["service"];
    Some(format!("{}.{}.svc", service["name"].as_str()?, service["namespace"].as_str()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> [String; 2] {
        ["a.b.svc", "127.0.0.1"].map(str::to_owned)
    }

    #[test]
    fn every_webhook_of_ours_in_a_configuration_gets_the_bundle_once() {
        let service = |name: &str| json!({"name": name, "namespace": "b"});
        let mut object = json!({"webhooks": [
            {"name": "one", "clientConfig": {"service": service("a")}},
            {"name": "two", "clientConfig": {"url": "https://127.0.0.1:80/x", "caBundle": "old"}},
            {"name": "three", "clientConfig": {"service": service("other"), "caBundle": "theirs"}},
        ]});
        for target in [InjectionTarget::Validating("x".into()), InjectionTarget::Mutating("x".into())] {
            let kind = target.resource().kind;
            assert_eq!(target.set_bundle(&mut object, &kind, &names()), Injection::Written);
            assert_eq!(target.set_bundle(&mut object, &kind, &names()), Injection::Unchanged);
        }
        let ours = "MutatingWebhookConfiguration";
        let expected = json!({"webhooks": [
            {"name": "one", "clientConfig": {"service": service("a"), "caBundle": ours}},
            {"name": "two", "clientConfig": {"url": "https://127.0.0.1:80/x", "caBundle": ours}},
            {"name": "three", "clientConfig": {"service": service("other"), "caBundle": "theirs"}},
        ]});
        assert_eq!(object, expected);
    }

    #[test]
    fn definitions_without_a_webhook_of_ours_are_not_changed() {
        let target = InjectionTarget::Conversion("x".into());
        let mut plain = json!({"spec": {"conversion": {"strategy": "None"}}});
        assert_eq!(target.set_bundle(&mut plain, "b", &names()), Injection::Absent);
        let webhook = |name: &str| {
            let service = json!({"name": name, "namespace": "b"});
            json!({"spec": {"conversion": {"webhook": {"clientConfig": {"service": service}}}}})
        };
        let mut other = webhook("other");
        assert_eq!(target.set_bundle(&mut other, "b", &names()), Injection::Absent);
        assert_eq!(other, webhook("other"));
        let mut ours = webhook("a");
        assert_eq!(target.set_bundle(&mut ours, "b", &names()), Injection::Written);
        assert_eq!(ours["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"], "b");
    }
}
