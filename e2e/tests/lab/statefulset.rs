//! A StatefulSet with a volume for each replica, as an unprivileged user.

use anyhow::Result;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::volumes::{SIZED, claim};
use e2e::{wait, workloads};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{SecurityContext, VolumeMount};
use kube::ResourceExt;
use kube::api::{DeleteParams, PostParams};

/// A pod that writes its name to its volume if the volume is empty.
pub(crate) fn writes_its_name() -> k8s_openapi::api::core::v1::PodSpec {
    let script = format!(
        "[ -s /data/id ] || echo \"$(hostname) $(cat /proc/sys/kernel/random/uuid)\" >/data/id; sync; {IDLE}"
    );
    let mut container = pods::shell(&script);
    container.volume_mounts =
        Some(vec![VolumeMount { name: "data".into(), mount_path: "/data".into(), ..VolumeMount::default() }]);
    container.readiness_probe = Some(pods::probe("test -s /data/id"));
    pods::spec(container)
}

#[tokio::test]
async fn replicas_keep_their_data() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "statefulset").await?;
    namespace
        .add(&workloads::stateful_set("web", 3, writes_its_name(), vec![claim("data", SIZED, "64Mi")]))
        .await?;
    wait::object(&namespace.api::<StatefulSet>(), "web", "three ready replicas", |set| {
        set.status.as_ref().and_then(|status| status.ready_replicas) == Some(3)
    })
    .await?;

    for name in ["web-0", "web-1", "web-2"] {
        assert_eq!(namespace.sh(name, "id -u").await?, pods::USER.to_string());
        let written = namespace.sh(name, "cat /data/id").await?;
        assert!(written.starts_with(&format!("{name} ")), "{name} wrote {written}");
    }

    let before = namespace.ready("web-1").await?;
    let written = namespace.sh("web-1", "cat /data/id").await?;
    namespace.pods().delete("web-1", &DeleteParams::default()).await?;
    let after = wait::object(&namespace.pods(), "web-1", "a new pod to be ready", |pod| {
        pod.uid() != before.uid() && pods::is_ready(pod)
    })
    .await?;
    assert_eq!(namespace.sh("web-1", "cat /data/id").await?, written);
    assert_eq!(pods::node(&after), pods::node(&before), "the volume is on one node");
    Ok(())
}

#[tokio::test]
async fn a_restricted_namespace_rejects_a_privileged_pod() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "restricted").await?;
    let mut container = pods::shell(IDLE);
    container.security_context =
        Some(SecurityContext { privileged: Some(true), ..SecurityContext::default() });
    let rejected = namespace
        .pods()
        .create(&PostParams::default(), &pods::pod("privileged", pods::spec(container)))
        .await;
    match rejected {
        Err(kube::Error::Api(status)) => {
            assert_eq!(status.code, 403);
            assert!(status.message.contains("PodSecurity \"restricted"), "{}", status.message);
        }
        other => panic!("expected a rejection, got {other:?}"),
    }
    Ok(())
}
