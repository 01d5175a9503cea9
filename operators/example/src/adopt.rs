//! Adoption of an application that ran before the operator was installed: the names that stay as they were found, so that
//! no pod restarts and no data are lost. Pure.

use std::collections::BTreeMap;

use api_example::AdoptedStatus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Container, PodTemplateSpec, Volume};
use kernel::object::Key;

use crate::names;

/// The names of the objects of an application: ours, or those of an application that we adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectNames {
    /// The labels that select instances.
    pub selector: BTreeMap<String, String>,
    /// The Service that gives each instance a host name.
    pub service: String,
    /// The name of the volume with the data.
    pub claim: String,
    /// The Secret with the credentials.
    pub secret: String,
    /// The `ConfigMap` with the features.
    pub features: String,
}

impl ObjectNames {
    /// The names in an application that we install.
    pub fn ours(app: &str) -> Self {
        Self {
            selector: names::selector(app),
            service: names::instances(app),
            claim: names::DATA.into(),
            secret: names::auth(app),
            features: names::features(app),
        }
    }

    /// The names in an application that exists.
    pub fn found(app: &str, set: &StatefulSet) -> Self {
        let mut found = Self::ours(app);
        let Some(spec) = &set.spec else { return found };
        if let Some(labels) = spec.selector.match_labels.as_ref().filter(|labels| !labels.is_empty()) {
            found.selector = labels.clone();
        }
        if let Some(service) = spec.service_name.as_ref().filter(|name| !name.is_empty()) {
            found.service.clone_from(service);
        }
        let claim =
            spec.volume_claim_templates.iter().flatten().next().and_then(|claim| claim.metadata.name.clone());
        found.claim = claim.unwrap_or(found.claim);
        let volume = mounted(&spec.template, "EXAMPLE_APP_AUTH_DIRECTORY", "--auth-directory");
        if let Some(secret) = volume.and_then(|volume| volume.secret.as_ref()?.secret_name.clone()) {
            found.secret = secret;
        }
        let volume = mounted(&spec.template, "EXAMPLE_APP_FEATURES_FILE", "--features-file");
        if let Some(features) = volume.and_then(|volume| volume.config_map.as_ref()) {
            found.features.clone_from(&features.name);
        }
        found
    }

    /// The names in a status.
    pub fn recorded(app: &str, adopted: &AdoptedStatus) -> Self {
        Self {
            selector: adopted.selector.clone(),
            service: adopted.service_name.clone(),
            claim: adopted.claim_name.clone(),
            secret: adopted.auth_secret_name.clone(),
            features: adopted.features_name.clone().unwrap_or_else(|| names::features(app)),
        }
    }

    /// The address of the first instance. It can be resolved even if the instance is not ready.
    pub fn first_instance(&self, app: &Key) -> String {
        format!("{}-0.{}.{}.svc:{}", app.name, self.service, app.namespace, names::PORT)
    }

    /// The record for the status; `None` if all names are ours.
    pub fn to_record(&self, app: &str) -> Option<AdoptedStatus> {
        (*self != Self::ours(app)).then(|| AdoptedStatus {
            selector: self.selector.clone(),
            service_name: self.service.clone(),
            claim_name: self.claim.clone(),
            auth_secret_name: self.secret.clone(),
            features_name: Some(self.features.clone()),
        })
    }
}

/// The container of the application: the one with its name, or the only one.
pub fn container(template: &PodTemplateSpec) -> Option<&Container> {
    let containers = &template.spec.as_ref()?.containers;
    containers.iter().find(|container| container.name == names::CONTAINER).or_else(|| containers.first())
}

/// The version in an image's tag.
pub fn tag(image: &str) -> Option<&str> {
    let (_, name) = image.rsplit_once('/').unwrap_or(("", image));
    name.split_once('@').map_or(name, |(name, _)| name).split_once(':').map(|(_, tag)| tag)
}

/// The volume that is mounted where a setting of the application points to.
fn mounted<'t>(template: &'t PodTemplateSpec, variable: &str, flag: &str) -> Option<&'t Volume> {
    let container = container(template)?;
    let variable = container.env.iter().flatten().find(|env| env.name == variable);
    let arguments: Vec<&String> = container.command.iter().chain(&container.args).flatten().collect();
    let mut arguments = arguments.iter().enumerate().map(|(at, argument)| (*argument, arguments.get(at + 1)));
    let from_flag = arguments.find_map(|(argument, next)| match argument.split_once('=') {
        Some((name, value)) if name == flag => Some(value),
        _ if argument == flag => next.map(|next| next.as_str()),
        _ => None,
    });
    let path = from_flag.or_else(|| variable?.value.as_deref())?;
    let mounts = container.volume_mounts.iter().flatten().filter(|mount| path.starts_with(&mount.mount_path));
    let mount = mounts.max_by_key(|mount| mount.mount_path.len())?;
    let volumes = template.spec.as_ref()?.volumes.as_ref()?;
    volumes.iter().find(|volume| volume.name == mount.name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tags_are_found() {
        for (image, expected) in [
            ("mainstay.dev/example-app:0.0.1", Some("0.0.1")),
            ("localhost:5000/app:1.2.3@sha256:abc", Some("1.2.3")),
            ("localhost:5000/app", None),
            ("app", None),
        ] {
            assert_eq!(tag(image), expected, "{image}");
        }
    }

    #[test]
    fn names_of_an_adopted_application_stay() {
        let set: StatefulSet = serde_json::from_value(json!({"spec": {
            "selector": {"matchLabels": {"run": "old"}}, "serviceName": "old-names",
            "volumeClaimTemplates": [{"metadata": {"name": "store"}}],
            "template": {"spec": {
                "containers": [{"name": "server", "image": "x:0.0.1",
                    "env": [{"name": "EXAMPLE_APP_AUTH_DIRECTORY", "value": "/secrets/auth"}],
                    "args": ["serve"],
                    "volumeMounts": [{"name": "login", "mountPath": "/secrets/auth"}, {"name": "all", "mountPath": "/"}]}],
                "volumes": [{"name": "all", "emptyDir": {}}, {"name": "login", "secret": {"secretName": "old-login"}}],
            }},
        }}))
        .unwrap();
        let names = ObjectNames::found("app", &set);
        let expected = ObjectNames {
            selector: BTreeMap::from([("run".into(), "old".into())]),
            service: "old-names".into(),
            claim: "store".into(),
            secret: "old-login".into(),
            features: "app-features".into(),
        };
        assert_eq!(names, expected);
        assert_eq!(ObjectNames::recorded("app", &names.to_record("app").unwrap()), names);
        assert_eq!(ObjectNames::ours("app").to_record("app"), None);
    }
}
