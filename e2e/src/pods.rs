//! Pods that pass the restricted Pod Security Standard, and commands in running pods.
//! Everything here is a plain value. A test changes the fields that matter to it.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{
    Capabilities, Container, ContainerStatus, ExecAction, Pod, PodSecurityContext, PodSpec, PodTemplateSpec,
    Probe, SeccompProfile, SecurityContext, Volume, VolumeMount,
};
use kube::Api;
use kube::api::{AttachParams, LogParams, ObjectMeta};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The shell image.
const BUSYBOX: &str = "docker.io/library/busybox:1.35.0";

/// A script that does nothing and exits at once on SIGTERM.
pub const IDLE: &str = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

/// The name of the only container of a pod.
const MAIN: &str = "main";

/// How long a script in a pod may take.
const SCRIPT_LIMIT: Duration = Duration::from_mins(2);

/// The user of pods.
pub const USER: i64 = 1000;

/// A map of strings, such as labels.
pub fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A list of strings.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// An unprivileged container with the command of its image.
pub fn container(image: &str) -> Container {
    Container {
        name: MAIN.into(),
        image: Some(image.into()),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities { drop: Some(words(&["ALL"])), ..Capabilities::default() }),
            ..SecurityContext::default()
        }),
        ..Container::default()
    }
}

/// A container that runs a shell script.
pub fn shell(script: &str) -> Container {
    Container { command: Some(words(&["sh", "-c", script])), ..container(BUSYBOX) }
}

/// A pod with one container and an unprivileged user.
pub fn spec(container: Container) -> PodSpec {
    PodSpec {
        containers: vec![container],
        automount_service_account_token: Some(false),
        enable_service_links: Some(false),
        security_context: Some(PodSecurityContext {
            run_as_non_root: Some(true),
            run_as_user: Some(USER),
            run_as_group: Some(USER),
            fs_group: Some(USER),
            seccomp_profile: Some(SeccompProfile {
                type_: "RuntimeDefault".into(),
                ..SeccompProfile::default()
            }),
            ..PodSecurityContext::default()
        }),
        termination_grace_period_seconds: Some(2),
        ..PodSpec::default()
    }
}

/// The pod with an additional volume in its container.
pub fn with_volume(mut spec: PodSpec, path: &str, volume: Volume) -> PodSpec {
    for container in &mut spec.containers {
        container.volume_mounts.get_or_insert_default().push(VolumeMount {
            name: volume.name.clone(),
            mount_path: path.into(),
            ..VolumeMount::default()
        });
    }
    spec.volumes.get_or_insert_default().push(volume);
    spec
}

/// The pod, bound to one node.
pub fn on_node(spec: PodSpec, node: &str) -> PodSpec {
    PodSpec { node_selector: Some(labels(&[("kubernetes.io/hostname", node)])), ..spec }
}

/// The pod with a name, which is also its label `app`.
pub fn pod(name: &str, spec: PodSpec) -> Pod {
    let metadata = ObjectMeta {
        name: Some(name.into()),
        labels: Some(labels(&[("app", name)])),
        ..ObjectMeta::default()
    };
    Pod { metadata, spec: Some(spec), ..Pod::default() }
}

/// The pod as a template, with the label `app`.
pub fn template(app: &str, spec: PodSpec) -> PodTemplateSpec {
    let metadata = ObjectMeta { labels: Some(labels(&[("app", app)])), ..ObjectMeta::default() };
    PodTemplateSpec { metadata: Some(metadata), spec: Some(spec) }
}

/// A probe that runs a shell script every second.
pub fn probe(script: &str) -> Probe {
    Probe {
        exec: Some(ExecAction { command: Some(words(&["sh", "-c", script])) }),
        period_seconds: Some(1),
        timeout_seconds: Some(10),
        failure_threshold: Some(1),
        ..Probe::default()
    }
}

/// Whether the pod is ready and not being deleted.
pub fn is_ready(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_none() && condition(pod, "Ready") == Some("True")
}

/// The status of one of the pod's conditions.
pub fn condition<'a>(pod: &'a Pod, kind: &str) -> Option<&'a str> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    conditions.iter().find(|condition| condition.type_ == kind).map(|condition| condition.status.as_str())
}

/// The status of the pod's only container.
pub fn main_status(pod: &Pod) -> Option<&ContainerStatus> {
    pod.status.as_ref()?.container_statuses.as_ref()?.first()
}

/// The node that the pod is on.
pub fn node(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref()
}

/// The address of the pod.
pub fn address(pod: &Pod) -> Result<&str> {
    pod.status.as_ref().and_then(|status| status.pod_ip.as_deref()).context("the pod has no address")
}

/// The result of a script in a pod.
#[derive(Debug)]
pub struct ScriptOutput {
    /// Whether it exited with 0.
    pub success: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// Runs a shell script in the pod's only container.
pub async fn exec(pods: &Api<Pod>, pod: &str, script: &str) -> Result<ScriptOutput> {
    let doing = || format!("cannot run `{script}` in pod {pod}");
    let mut process =
        pods.exec(pod, ["sh", "-c", script], &AttachParams::default()).await.with_context(doing)?;
    let status = process.take_status().context("the status was not taken before")?;
    let (stdout, stderr) = (process.stdout(), process.stderr());
    let all = async { tokio::join!(drain(stdout), drain(stderr), status) };
    let (stdout, stderr, status) = tokio::time::timeout(SCRIPT_LIMIT, all).await.with_context(doing)?;
    let status =
        status.with_context(|| format!("{}: the connection was closed before it exited", doing()))?;
    Ok(ScriptOutput {
        success: status.status.as_deref() == Some("Success"),
        stdout: stdout?,
        stderr: stderr?,
    })
}

async fn drain(reader: Option<impl AsyncRead + Unpin>) -> Result<String> {
    let mut text = Vec::new();
    if let Some(mut reader) = reader {
        reader.read_to_end(&mut text).await?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The log of the only container of a pod.
pub async fn logs(pods: &Api<Pod>, pod: &str) -> Result<String> {
    pods.logs(pod, &LogParams::default()).await.with_context(|| format!("cannot read the log of pod {pod}"))
}
