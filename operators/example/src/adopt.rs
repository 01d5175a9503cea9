//! An application that ran before the operator came: what of it must stay as it was found, so that nothing restarts and
//! no data are left behind. Pure.

use std::collections::BTreeMap;

use api_example::AdoptedStatus;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Container, PodTemplateSpec};

use crate::names;

/// What an application's objects hang on. Ours, unless it was there before us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The labels by which instances are found.
    pub selector: BTreeMap<String, String>,
    /// The Service that names them.
    pub service: String,
    /// The name of the volume with the data.
    pub claim: String,
    /// The Secret with the credentials.
    pub secret: String,
    /// The `ConfigMap` with the features.
    pub features: String,
}

impl Frame {
    /// The frame of an application that we install.
    pub fn ours(app: &str) -> Self {
        Self {
            selector: names::selector(app),
            service: names::instances(app),
            claim: names::DATA.into(),
            secret: names::auth(app),
            features: names::features(app),
        }
    }

    /// The frame of an application that is there.
    pub fn found(app: &str, set: &StatefulSet) -> Self {
        let mut frame = Self::ours(app);
        let Some(spec) = &set.spec else { return frame };
        if let Some(labels) = spec.selector.match_labels.as_ref().filter(|labels| !labels.is_empty()) {
            frame.selector = labels.clone();
        }
        if let Some(service) = spec.service_name.as_ref().filter(|name| !name.is_empty()) {
            frame.service.clone_from(service);
        }
        let claim =
            spec.volume_claim_templates.iter().flatten().next().and_then(|claim| claim.metadata.name.clone());
        frame.claim = claim.unwrap_or(frame.claim);
        if let Some(secret) = mounted(&spec.template, "EXAMPLE_APP_AUTH_DIRECTORY", "--auth-directory").secret
        {
            frame.secret = secret;
        }
        if let Some(features) = mounted(&spec.template, "EXAMPLE_APP_FEATURES_FILE", "--features-file").config
        {
            frame.features = features;
        }
        frame
    }

    /// The frame that was remembered.
    pub fn remembered(app: &str, adopted: &AdoptedStatus) -> Self {
        Self {
            selector: adopted.selector.clone(),
            service: adopted.service_name.clone(),
            claim: adopted.claim_name.clone(),
            secret: adopted.auth_secret_name.clone(),
            features: adopted.features_name.clone().unwrap_or_else(|| names::features(app)),
        }
    }

    /// What to remember of it; nothing if it is ours anyway.
    pub fn to_remember(&self, app: &str) -> Option<AdoptedStatus> {
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

#[derive(Default)]
struct Mounted {
    secret: Option<String>,
    config: Option<String>,
}

/// What is mounted where a setting of the application points to.
fn mounted(template: &PodTemplateSpec, variable: &str, flag: &str) -> Mounted {
    let found = || {
        let container = container(template)?;
        let from_variable = container.env.iter().flatten().find(|env| env.name == variable);
        let from_variable = from_variable.and_then(|env| env.value.clone());
        let arguments: Vec<&String> = container.command.iter().chain(&container.args).flatten().collect();
        let from_flag =
            arguments.iter().enumerate().find_map(|(at, argument)| match argument.split_once('=') {
                Some((name, value)) if name == flag => Some(value.to_owned()),
                _ if *argument == flag => arguments.get(at + 1).map(|value| (*value).clone()),
                _ => None,
            });
        let path = from_flag.or(from_variable)?;
        let mounts = container.volume_mounts.iter().flatten();
        let mount = mounts
            .filter(|mount| path.starts_with(&mount.mount_path))
            .max_by_key(|mount| mount.mount_path.len())?;
        let volumes = template.spec.as_ref()?.volumes.as_ref()?;
        volumes.iter().find(|volume| volume.name == mount.name)
    };
    let Some(volume) = found() else { return Mounted::default() };
    Mounted {
        secret: volume.secret.as_ref().and_then(|secret| secret.secret_name.clone()),
        config: volume.config_map.as_ref().map(|config| config.name.clone()),
    }
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
    fn what_was_found_stays() {
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
        let frame = Frame::found("app", &set);
        let expected = Frame {
            selector: BTreeMap::from([("run".into(), "old".into())]),
            service: "old-names".into(),
            claim: "store".into(),
            secret: "old-login".into(),
            features: "app-features".into(),
        };
        assert_eq!(frame, expected);
        assert_eq!(Frame::remembered("app", &frame.to_remember("app").unwrap()), frame);
        assert_eq!(Frame::ours("app").to_remember("app"), None);
    }
}
