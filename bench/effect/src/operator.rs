//! The Prometheus Operator as its own bundle installs it, and our program in its place as `docs/monitoring.md` says: the
//! Deployment, its flags and limits stay the same for all.

#![expect(clippy::disallowed_methods, reason = "a benchmark plays the users of a cluster")]

use std::path::Path;

use anyhow::{Context, Result};
use e2e::lab::Lab;
use e2e::pods::is_ready;
use e2e::wait::{self, Look, holds};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Container, Pod};
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::setup::Setup;

/// Where the bundle puts it.
const NAMESPACE: &str = "default";

/// The Deployment, its container and its account.
const NAME: &str = "prometheus-operator";

/// Gives the account our role beside its own.
const BINDING: &str = "prometheus-operator-mainstay";

/// Our roles, within the workspace.
const ROLES: &str = "deploy/monitoring-roles.yaml";

/// The flag with the image of the reloader.
const RELOADER: &str = "--prometheus-config-reloader=";

/// The Deployment.
pub(crate) struct Operator {
    lab: Lab,
    /// As the bundle has it.
    original: Program,
}

/// What a container runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    image: String,
    arguments: Vec<String>,
}

impl Operator {
    /// Installs the bundle, with the definitions of the kinds, and our roles beside it.
    pub(crate) async fn install(lab: &Lab, bundle: &Path) -> Result<Self> {
        for manifest in [bundle, &lab::paths::workspace().join(ROLES)] {
            let manifest = manifest.to_str().context("a manifest has a readable path")?;
            lab.kubectl(&["apply", "--server-side", "-f", manifest])?;
        }
        let deployments: Api<Deployment> = Api::namespaced(lab.client(), NAMESPACE);
        let template = deployments.get(NAME).await?.spec.map(|spec| spec.template);
        let pod = template.and_then(|template| template.spec).context("the Deployment has a pod")?;
        let original = pod.containers.first().map(Program::of).context("the pod has a container")?;
        Ok(Self { lab: lab.clone(), original })
    }

    /// Puts the operator of a set-up to work, and waits until it alone is there.
    pub(crate) async fn put(&self, setup: Setup) -> Result<()> {
        self.lab.kubectl(&["delete", "clusterrolebinding", BINDING, "--ignore-not-found"])?;
        if setup.operator().is_some() {
            let account = format!("--serviceaccount={NAMESPACE}:{NAME}");
            self.lab.kubectl(&[
                "create",
                "clusterrolebinding",
                BINDING,
                "--clusterrole=mainstay",
                &account,
            ])?;
        }
        let program = self.original.with(setup);
        let deployments: Api<Deployment> = Api::namespaced(self.lab.client(), NAMESPACE);
        deployments.patch(NAME, &PatchParams::default(), &Patch::Strategic(program.patch())).await?;
        let pods: Api<Pod> = Api::namespaced(self.lab.client(), NAMESPACE);
        wait::until(&format!("the operator of: {}", setup.name()), async || {
            let labels = format!("app.kubernetes.io/name={NAME}");
            let all = pods.list(&ListParams::default().labels(&labels)).await?.items;
            let [pod] = all.as_slice() else { return Ok(Look::NotYet(format!("{} pods", all.len()))) };
            let runs = pod.spec.as_ref().and_then(|spec| spec.containers.first()).map(Program::of);
            Ok(holds(is_ready(pod) && runs.as_ref() == Some(&program), format!("{runs:?}")))
        })
        .await
    }
}

impl Program {
    fn of(container: &Container) -> Self {
        Self {
            image: container.image.clone().unwrap_or_default(),
            arguments: container.args.clone().unwrap_or_default(),
        }
    }

    /// The same with what a set-up has of its own.
    fn with(&self, setup: Setup) -> Self {
        let mut program = self.clone();
        if let Some(image) = setup.operator() {
            program.image = image.into();
        }
        if let Some(image) = setup.reloader() {
            program.arguments.retain(|argument| !argument.starts_with(RELOADER));
            program.arguments.push(format!("{RELOADER}{image}"));
        }
        program
    }

    fn patch(&self) -> Value {
        let Self { image, arguments } = self;
        let container = json!({"name": NAME, "image": image, "args": arguments});
        json!({"spec": {"template": {"spec": {"containers": [container]}}}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_up_changes_images_and_nothing_else() {
        let arguments = |reloader: &str| {
            vec!["--kubelet-service=kube-system/kubelet".to_owned(), format!("{RELOADER}{reloader}")]
        };
        let peer = Program { image: "peer:1".into(), arguments: arguments("reloader:1") };
        let with = |reloader: &str| Program {
            image: "mainstay.dev/mainstay:0.1.0".into(),
            arguments: arguments(reloader),
        };
        assert_eq!(peer.with(Setup::Peer), peer);
        assert_eq!(peer.with(Setup::OursPeerReloader), with("reloader:1"));
        assert_eq!(peer.with(Setup::Ours), with("mainstay.dev/mainstay-reloader:0.1.0"));
    }
}
