//! Tells the API server whom to trust: the bundle of authorities, written where its clients look for it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::{Api, Client};
use serde_json::Value;

/// Where a bundle belongs, by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A `ValidatingWebhookConfiguration`.
    Validating(String),
    /// A `MutatingWebhookConfiguration`.
    Mutating(String),
    /// The conversion of a `CustomResourceDefinition`.
    Conversion(String),
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injection {
    /// It was there.
    Unchanged,
    /// It was written.
    Written,
    /// There is no such object, or it calls no webhook.
    Absent,
}

/// Why it could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the trusted authorities to the {kind} `{name}`")]
pub struct InjectError {
    kind: String,
    name: String,
    #[source]
    source: kube::Error,
}

const CONFLICTS: usize = 5;

impl Target {
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

    /// Writes the bundle, unless it is there.
    pub async fn inject(&self, client: &Client, trusted: &str) -> Result<Injection, InjectError> {
        let resource = self.resource();
        let failed = |source| InjectError { kind: resource.kind.clone(), name: self.name().into(), source };
        // As it is, whatever a newer server knows about it: nothing of it may get lost on the way through our types.
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
        let mut conflicts = 0;
        loop {
            let Some(mut object) = api.get_opt(self.name()).await.map_err(failed)? else {
                return Ok(Injection::Absent);
            };
            let outcome = self.place(&mut object.data, &STANDARD.encode(trusted));
            if outcome != Injection::Written {
                return Ok(outcome);
            }
            match api.replace(self.name(), &PostParams::default(), &object).await {
                Ok(_) => return Ok(Injection::Written),
                // Somebody else was faster; what they wrote is read again.
                Err(kube::Error::Api(status)) if status.code == 409 && conflicts < CONFLICTS => {
                    conflicts += 1;
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Puts the bundle into an object, and says whether that changed it.
    fn place(&self, object: &mut Value, bundle: &str) -> Injection {
        let places: Vec<&mut Value> = match self {
            Self::Validating(_) | Self::Mutating(_) => {
                let webhooks = object["webhooks"].as_array_mut().into_iter().flatten();
                webhooks.filter_map(|webhook| webhook.get_mut("clientConfig")).collect()
            }
            Self::Conversion(_) => {
                object.pointer_mut("/spec/conversion/webhook/clientConfig").into_iter().collect()
            }
        };
        if places.is_empty() {
            return Injection::Absent;
        }
        let mut outcome = Injection::Unchanged;
        for place in places.into_iter().filter(|place| place.is_object()) {
            if place["caBundle"] != bundle {
                place["caBundle"] = bundle.into();
                outcome = Injection::Written;
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_webhook_of_a_configuration_gets_it_once() {
        let client = || json!({"service": {"name": "a", "namespace": "b"}});
        let mut object = json!({"webhooks": [
            {"name": "one", "clientConfig": client()},
            {"name": "two", "clientConfig": {"url": "https://x", "caBundle": "old"}},
        ]});
        for target in [Target::Validating("x".into()), Target::Mutating("x".into())] {
            assert_eq!(target.place(&mut object, &target.resource().kind), Injection::Written);
            assert_eq!(target.place(&mut object, &target.resource().kind), Injection::Unchanged);
        }
        let expected = json!({"webhooks": [
            {"name": "one", "clientConfig": {
                "service": {"name": "a", "namespace": "b"},
                "caBundle": "MutatingWebhookConfiguration",
            }},
            {"name": "two", "clientConfig": {"url": "https://x", "caBundle": "MutatingWebhookConfiguration"}},
        ]});
        assert_eq!(object, expected);
    }

    #[test]
    fn a_definition_without_a_webhook_is_left_alone() {
        let target = Target::Conversion("x".into());
        let mut plain = json!({"spec": {"conversion": {"strategy": "None"}}});
        assert_eq!(target.place(&mut plain, "b"), Injection::Absent);
        let mut webhook = json!({"spec": {"conversion": {"webhook": {"clientConfig": {}}}}});
        assert_eq!(target.place(&mut webhook, "b"), Injection::Written);
        assert_eq!(webhook["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"], "b");
    }
}
