//! The Prometheus Operator, installed from its own bundle, and our operator as its replacement, as `docs/monitoring.md`
//! describes it. The Deployment, its flags and limits are the same for all.

#![expect(clippy::disallowed_methods, reason = "a benchmark acts as the users of a cluster")]

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

/// The namespace that the bundle uses.
const NAMESPACE: &str = "default";

/// The name of the Deployment, of its container and of its ServiceAccount.
const NAME: &str = "prometheus-operator";

/// Binds our role to the ServiceAccount.
const BINDING: &str = "prometheus-operator-mainstay";

/// The manifest with our roles, relative to the workspace.
const ROLES: &str = "deploy/monitoring-roles.yaml";

/// The flag with the image of the reloader.
const RELOADER: &str = "--prometheus-config-reloader=";

/// The Deployment.
pub(crate) struct Operator {
    lab: Lab,
    /// The container of the bundle.
    original: Program,
}

/// What a container runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    image: String,
    arguments: Vec<String>,
}

impl Operator {
    /// Installs the bundle, which contains the CRDs, and our roles.
    pub(crate) async fn install(lab: &Lab, bundle: &Path) -> Result<Self> {
        for manifest in [bundle, &lab::paths::workspace().join(ROLES)] {
            let manifest = manifest.to_str().context("the path of a manifest is not UTF-8")?;
            lab.kubectl(&["apply", "--server-side", "-f", manifest])?;
        }
        let deployments: Api<Deployment> = Api::namespaced(lab.client(), NAMESPACE);
        let template = deployments.get(NAME).await?.spec.map(|spec| spec.template);
        let pod =
            template.and_then(|template| template.spec).context("the Deployment has no pod template")?;
        let original =
            pod.containers.first().map(Program::of).context("the pod template has no container")?;
        Ok(Self { lab: lab.clone(), original })
    }

    /// Deploys the operator of a set-up, and waits until only its pod runs.
    pub(crate) async fn deploy(&self, setup: Setup) -> Result<()> {
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

    /// The container with the images of a set-up.
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
    fn a_set_up_changes_only_images() {
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
