//! The operands start from the images of the lab, unprivileged, and report their version.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use e2e::http;
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::pods::{self, words};
use e2e::volumes::{from_config, scratch};
use e2e::wait::Look;
use k8s_openapi::api::core::v1::{ConfigMap, EnvVar, Pod, PodSecurityContext, PodSpec};
use kube::api::ObjectMeta;
use lab::versions::Versions;

/// The user of the images of Prometheus and Alertmanager.
const NOBODY: i64 = 65534;

/// Every image that has a test in this file.
const TESTED: [&str; 10] = [
    "quay.io/prometheus/prometheus:v2.42.0",
    "quay.io/prometheus/prometheus:v3.13.1",
    "quay.io/prometheus/prometheus:v3.13.2",
    "quay.io/prometheus/alertmanager:v0.25.0",
    "quay.io/prometheus/alertmanager:v0.33.1",
    "quay.io/coreos/etcd:v3.4.23",
    "quay.io/coreos/etcd:v3.5.35",
    "quay.io/coreos/etcd:v3.6.16",
    "quay.io/coreos/etcd:v3.7.3",
    "docker.io/versity/versitygw:v1.8.0",
];

#[test]
fn the_list_of_tested_images_is_complete() {
    let operands = ["prometheus", "alertmanager", "etcd", "versitygw"];
    let listed: BTreeSet<String> = Versions::built_in()
        .images()
        .into_iter()
        .filter(|image| operands.contains(&image.program.name.as_str()) && image.content.group.is_none())
        .filter_map(|image| image.content.names.first().cloned())
        .collect();
    assert_eq!(listed, TESTED.map(str::to_owned).into());
}

/// Waits for a response of the pod with the expected code, and returns its body.
async fn body(namespace: &Namespace, pod: &Pod, port: u16, path: &str, code: u16) -> Result<String> {
    let address = pods::address(pod)?.to_owned();
    namespace
        .until(&format!("{code} from {path}"), async || {
            let response = http::get(&address, port, path).await?;
            Ok(if response.code == code {
                Look::Found(response.body)
            } else {
                Look::NotYet(format!("{response:?}"))
            })
        })
        .await
}

/// The text at a path of a JSON document.
fn field(json: &str, pointer: &str) -> Result<String> {
    let value: serde_json::Value = serde_json::from_str(json).with_context(|| format!("not JSON: {json}"))?;
    let text = value.pointer(pointer).and_then(|text| text.as_str());
    Ok(text.with_context(|| format!("no {pointer} in {json}"))?.to_owned())
}

/// A program that runs with the default arguments of its image, its configuration from a `ConfigMap`, and a read-only root
/// file system.
struct Monitor {
    name: &'static str,
    port: u16,
    configuration: &'static str,
    version: (&'static str, &'static str),
}

const PROMETHEUS: Monitor = Monitor {
    name: "prometheus",
    port: 9090,
    configuration: "global: {scrape_interval: 15s}\n",
    version: ("/api/v1/status/buildinfo", "/data/version"),
};

const ALERTMANAGER: Monitor = Monitor {
    name: "alertmanager",
    port: 9093,
    configuration: "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n",
    version: ("/api/v2/status", "/versionInfo/version"),
};

impl Monitor {
    fn configuration(&self) -> ConfigMap {
        ConfigMap {
            metadata: ObjectMeta { name: Some(self.name.into()), ..ObjectMeta::default() },
            data: Some(pods::labels(&[(&format!("{}.yml", self.name), self.configuration)])),
            ..ConfigMap::default()
        }
    }

    fn pod(&self, version: &str) -> Pod {
        let mut container = pods::container(&format!("quay.io/prometheus/{}:v{version}", self.name));
        if let Some(security) = &mut container.security_context {
            // Its data directory is a volume that the image declares.
            security.read_only_root_filesystem = Some(true);
        }
        let spec = pods::spec(container);
        let spec = PodSpec {
            security_context: spec.security_context.map(|security| PodSecurityContext {
                run_as_user: Some(NOBODY),
                run_as_group: Some(NOBODY),
                fs_group: Some(NOBODY),
                ..security
            }),
            ..spec
        };
        pods::pod(self.name, pods::with_volume(spec, &format!("/etc/{}", self.name), from_config(self.name)))
    }
}

async fn monitor_runs(monitor: &Monitor, version: &str) -> Result<()> {
    let lab = Lab::connect().await?;
    let name = monitor.name;
    let namespace = Namespace::create(&lab, name).await?;
    namespace.add(&monitor.configuration()).await?;
    let pod = namespace.add_ready(&monitor.pod(version)).await?;

    body(&namespace, &pod, monitor.port, "/-/ready", 200).await?;
    body(&namespace, &pod, monitor.port, "/-/healthy", 200).await?;
    let (path, pointer) = monitor.version;
    let reported = field(&body(&namespace, &pod, monitor.port, path, 200).await?, pointer)?;
    // Debian appends its own version after a plus sign.
    assert_eq!(reported.split('+').next(), Some(version), "{name} reports version {reported}");
    let now = namespace.pods().get(name).await?;
    assert_eq!(pods::main_status(&now).map(|main| main.restart_count), Some(0));
    Ok(())
}

#[tokio::test]
async fn prometheus_2_42_0() -> Result<()> {
    monitor_runs(&PROMETHEUS, "2.42.0").await
}

#[tokio::test]
async fn prometheus_3_13_1() -> Result<()> {
    monitor_runs(&PROMETHEUS, "3.13.1").await
}

#[tokio::test]
async fn prometheus_3_13_2() -> Result<()> {
    monitor_runs(&PROMETHEUS, "3.13.2").await
}

#[tokio::test]
async fn alertmanager_0_25_0() -> Result<()> {
    monitor_runs(&ALERTMANAGER, "0.25.0").await
}

#[tokio::test]
async fn alertmanager_0_33_1() -> Result<()> {
    monitor_runs(&ALERTMANAGER, "0.33.1").await
}

fn etcd(version: &str) -> Pod {
    let mut container = pods::container(&format!("quay.io/coreos/etcd:v{version}"));
    container.command = Some(words(&[
        "/usr/local/bin/etcd",
        "--data-dir=/data/member",
        "--listen-client-urls=http://0.0.0.0:2379",
        "--advertise-client-urls=http://127.0.0.1:2379",
    ]));
    pods::pod("etcd", pods::with_volume(pods::spec(container), "/data", scratch()))
}

async fn etcd_runs(version: &str) -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "etcd").await?;
    let pod = namespace.add_ready(&etcd(version)).await?;

    let health = body(&namespace, &pod, 2379, "/health", 200).await?;
    assert_eq!(field(&health, "/health")?, "true");
    let reported = body(&namespace, &pod, 2379, "/version", 200).await?;
    assert_eq!(field(&reported, "/etcdserver")?, version);
    Ok(())
}

#[tokio::test]
async fn etcd_3_4_23() -> Result<()> {
    etcd_runs("3.4.23").await
}

#[tokio::test]
async fn etcd_3_5_35() -> Result<()> {
    etcd_runs("3.5.35").await
}

#[tokio::test]
async fn etcd_3_6_16() -> Result<()> {
    etcd_runs("3.6.16").await
}

#[tokio::test]
async fn etcd_3_7_3() -> Result<()> {
    etcd_runs("3.7.3").await
}

#[tokio::test]
async fn versitygw_1_8_0() -> Result<()> {
    let lab = Lab::connect().await?;
    let namespace = Namespace::create(&lab, "versitygw").await?;
    let mut container = pods::container("docker.io/versity/versitygw:v1.8.0");
    container.args = Some(words(&["--port", ":7070", "posix", "/data"]));
    let variable = |name: &str, value: &str| EnvVar {
        name: name.into(),
        value: Some(value.into()),
        ..EnvVar::default()
    };
    container.env = Some(vec![variable("ROOT_ACCESS_KEY", "lab"), variable("ROOT_SECRET_KEY", "lab-secret")]);
    let spec = pods::with_volume(pods::spec(container), "/data", scratch());
    let pod = namespace.add_ready(&pods::pod("versitygw", spec)).await?;
    // A request without a signature is rejected with an error of S3.
    let error = body(&namespace, &pod, 7070, "/", 403).await?;
    assert!(error.contains("<Code>AccessDenied</Code>"), "{error}");
    Ok(())
}
