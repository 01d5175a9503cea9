//! Pods that pass the restricted Pod Security Standard, and what can be asked of a running one.
//! Everything here is a plain value; a test changes the fields that it is about.

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
pub const BUSYBOX: &str = "docker.io/library/busybox:1.35.0";

/// Does nothing, and ends at once when it is stopped.
pub const IDLE: &str = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

/// Name of a pod's only container.
pub const MAIN: &str = "main";

/// How long a script in a pod may take.
const SCRIPT_LIMIT: Duration = Duration::from_mins(2);

/// User that pods run as.
pub const USER: i64 = 1000;

/// Labels, or any other map of text.
pub fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A list of text.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// An unprivileged container that runs what its image runs.
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

/// A pod of one container, under an unprivileged user.
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

/// The pod, with a volume more in its container.
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

/// The pod, on one node only.
pub fn on_node(spec: PodSpec, node: &str) -> PodSpec {
    PodSpec { node_selector: Some(labels(&[("kubernetes.io/hostname", node)])), ..spec }
}

/// The pod under a name, which is its label `app` too.
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

/// Whether the pod is ready and not about to end.
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

/// What a script in a pod said.
#[derive(Debug)]
pub struct Said {
    /// Whether it ended well.
    pub success: bool,
    /// Its output.
    pub stdout: String,
    /// Its complaints.
    pub stderr: String,
}

/// Runs a shell script in the pod's only container.
pub async fn exec(pods: &Api<Pod>, pod: &str, script: &str) -> Result<Said> {
    let doing = || format!("cannot run `{script}` in pod {pod}");
    let mut process =
        pods.exec(pod, ["sh", "-c", script], &AttachParams::default()).await.with_context(doing)?;
    let status = process.take_status().context("the status was not taken before")?;
    let (stdout, stderr) = (process.stdout(), process.stderr());
    let all = async { tokio::join!(drain(stdout), drain(stderr), status) };
    let (stdout, stderr, status) = tokio::time::timeout(SCRIPT_LIMIT, all).await.with_context(doing)?;
    let status = status.with_context(|| format!("{}: the connection ended before it did", doing()))?;
    Ok(Said { success: status.status.as_deref() == Some("Success"), stdout: stdout?, stderr: stderr? })
}

async fn drain(reader: Option<impl AsyncRead + Unpin>) -> Result<String> {
    let mut text = Vec::new();
    if let Some(mut reader) = reader {
        reader.read_to_end(&mut text).await?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What the pod's only container has printed.
pub async fn logs(pods: &Api<Pod>, pod: &str) -> Result<String> {
    pods.logs(pod, &LogParams::default()).await.with_context(|| format!("cannot read the log of pod {pod}"))
}
