//! The pods of a server or agent: the main container, the reloader, and what the user adds.

use std::collections::BTreeMap;

use formats::prometheus::UnsupportedField;
use k8s_openapi::api::core::v1::{Container, EnvVar, PodSpec, PodTemplateSpec, Probe};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{CONFIG, CONFIG_OUT, OUTPUT_FILE, WEB_CONFIG, arguments, topology, volumes};
use crate::prometheus::Instance;
use crate::workload::arguments::{self as command_line, Flags};
use crate::workload::container::{exec_probe, http_probe, restricted, tcp_port};
use crate::workload::labels::{Labels, merged};
use crate::workload::operator::OperatorConfig;
use crate::workload::path;
use crate::workload::pod::{self, PodError, PodParts, some};
use crate::workload::reloader::{Reload, Reloader, Values};
use crate::workload::volume::Volumes;

/// How long a server may take to stop, in seconds: it has to write its data.
const GRACE_PERIOD: i64 = 600;

/// What differs between the pods of servers and agents.
#[derive(Debug)]
pub(crate) struct Draft<'d> {
    image: String,
    /// The flags of the main container.
    pub(crate) flags: Flags<'d>,
    /// The environment of the main container.
    pub(crate) environment: Vec<EnvVar>,
    /// The volumes and their mounts.
    pub(crate) volumes: Volumes,
    /// More containers.
    pub(crate) sidecars: Vec<Container>,
    /// The variables of the configuration.
    pub(crate) values: Values<'d>,
    /// The labels of the nodes that the pods run on.
    node_selector: BTreeMap<String, String>,
    /// The selector of the pods.
    pub(crate) selector: Labels,
}

impl<'d> Draft<'d> {
    /// The parts that servers and agents share.
    pub(crate) fn new(
        instance: &'d Instance<'_>,
        image: String,
        tls_secrets: &[String],
        stores_data: bool,
    ) -> Result<Self, PodError> {
        Ok(Self {
            image,
            flags: arguments::shared(instance),
            environment: Vec::new(),
            volumes: volumes::shared(instance, tls_secrets, stores_data)?,
            sidecars: Vec::new(),
            values: Values::default(),
            node_selector: instance.workload.node_selector.clone(),
            selector: Labels::new(),
        })
    }

    /// The same for the pods of a shard.
    pub(crate) fn for_shard(&mut self, instance: &'d Instance<'_>, operator: &OperatorConfig, shard: i32) {
        let zone = topology::zone(instance.spec, operator, shard);
        self.values = topology::values(zone, shard);
        self.node_selector = topology::node_selector(&instance.workload.node_selector, zone);
        self.selector = instance.selector(operator, Some(shard));
    }

    /// Adds the web configuration file, if the version reads it.
    pub(crate) fn put_web_config(&mut self, instance: &Instance<'_>) -> Result<(), PodError> {
        if instance.takes_web_config() {
            // Old images of the reloader do not have the flag for the file.
            return self.mount_web_config(instance, instance.web.is_some());
        }
        if instance.web.is_some() {
            let (major, minor) = instance.application.web_config_since;
            let versions = format!("{major}.{minor} or later");
            self.flags.left_out.push(UnsupportedField { field: "--web.config.file".into(), versions });
        }
        Ok(())
    }

    /// Adds the web configuration file for the main container and, with `for_reloader`, for the reloader.
    pub(crate) fn mount_web_config(
        &mut self,
        instance: &Instance<'_>,
        for_reloader: bool,
    ) -> Result<(), PodError> {
        let argument = self.volumes.put_web_config(instance, WEB_CONFIG, for_reloader)?;
        self.flags.arguments.extend(argument);
        Ok(())
    }
}

/// The pods, and the flags that their version does not have.
pub(crate) fn build(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    mut draft: Draft<'_>,
) -> Result<(PodTemplateSpec, Vec<UnsupportedField>), PodError> {
    let workload = instance.workload;
    let init = reloader(instance, operator, &draft, true);
    let args = command_line::build(&draft.flags.arguments, &workload.additional_args)?;
    let beside = reloader(instance, operator, &draft, false);
    let mut containers = vec![main(instance, &mut draft, args), beside];
    containers.append(&mut draft.sidecars);
    let grace_period = workload.termination_grace_period_seconds.unwrap_or(GRACE_PERIOD);
    let parts = PodParts {
        containers,
        init_containers: vec![init],
        volumes: draft.volumes.of_pod,
        host_network: instance.spec.host_network,
    };
    let spec = PodSpec {
        share_process_namespace: Some(instance.reloads_by_signal()),
        automount_service_account_token: Some(instance.spec.automount_service_account_token.unwrap_or(true)),
        node_selector: (!draft.node_selector.is_empty()).then_some(draft.node_selector),
        termination_grace_period_seconds: Some(grace_period),
        topology_spread_constraints: pod::spread(&instance.spec.topology_spread_constraints, &draft.selector),
        image_pull_secrets: some(workload.image_pull_secrets.clone()),
        ..pod::spec(workload, parts)?
    };
    let labels =
        merged([&instance.version_label(), &instance.user_labels(), &draft.selector, &operator.labels]);
    let mut metadata = instance.pod_metadata(labels);
    // The user can choose another container that tools show first.
    let users = workload.pod_metadata.as_ref().map(|users| users.annotations.clone());
    metadata.annotations.get_or_insert_default().extend(users.unwrap_or_default());
    Ok((PodTemplateSpec { metadata: Some(metadata), spec: Some(spec) }, draft.flags.left_out))
}

fn main(instance: &Instance<'_>, draft: &mut Draft<'_>, args: Vec<String>) -> Container {
    let workload = instance.workload;
    // Reading the write-ahead log may take long. Until it is done, only the startup probe runs.
    let (period, failures) = startup(instance.spec.maximum_startup_duration_seconds);
    Container {
        ports: (!workload.listen_local).then(|| vec![tcp_port(instance.port_name(), 9090)]),
        args: Some(args),
        env: some(std::mem::take(&mut draft.environment)),
        volume_mounts: some(std::mem::take(&mut draft.volumes.mounts)),
        startup_probe: Some(probe(instance, "/-/ready", period, failures)),
        readiness_probe: Some(probe(instance, "/-/ready", 5, 3)),
        liveness_probe: Some(probe(instance, "/-/healthy", 5, 6)),
        resources: Some(workload.resources.clone()),
        ..restricted(instance.application.container, &draft.image, &workload.image_pull_policy)
    }
}

/// The reloader: the init container, or the one that runs beside the main container.
fn reloader(instance: &Instance<'_>, operator: &OperatorConfig, draft: &Draft<'_>, init: bool) -> Container {
    let workload = instance.workload;
    let url = |path: &str| instance.local_url(operator, instance.has_tls(), path);
    let by_signal = instance.reloads_by_signal();
    let reload = match (init, by_signal) {
        (true, _) => Reload::Never,
        (false, true) => Reload::Signal(url("/api/v1/status/runtimeinfo")),
        (false, false) => Reload::Request(url("/-/reload")),
    };
    let listen_local = !init && !by_signal && workload.listen_local;
    let reloader = Reloader {
        init,
        reload,
        config_file: format!("{CONFIG}/{}", instance.naming.configuration_key),
        output_file: format!("{CONFIG_OUT}/{OUTPUT_FILE}"),
        watched_directories: draft.volumes.watched_directories.clone(),
        web_config_file: if init { String::new() } else { draft.volumes.web_config_file.clone() },
        listen_local: listen_local.then(|| operator.local_host.clone()),
        log_level: &workload.log_level,
        log_format: &workload.log_format,
        image_pull_policy: &workload.image_pull_policy,
        mounts: draft.volumes.reloader_mounts.clone(),
        values: draft.values,
    };
    reloader.build(&operator.reloader)
}

fn probe(instance: &Instance<'_>, path: &str, period: i32, failures: i32) -> Probe {
    let path = instance.path(path);
    let request = if instance.workload.listen_local {
        exec_probe(&path::url("http", "localhost:9090", &path))
    } else {
        http_probe(path, IntOrString::String(instance.port_name().to_owned()), instance.has_tls())
    };
    Probe {
        timeout_seconds: Some(3),
        period_seconds: Some(period),
        failure_threshold: Some(failures),
        ..request
    }
}

/// The period and the number of startup probes. Startup may take 15 minutes, or the time that the user sets.
fn startup(maximum: Option<i32>) -> (i32, i32) {
    let Some(maximum) = maximum.filter(|maximum| *maximum >= 60) else { return (15, 60) };
    let rounded_up = |number: i32, by: i32| number / by + i32::from(number % by != 0);
    let failures = rounded_up(maximum, 60);
    (rounded_up(maximum, failures), failures)
}

#[cfg(test)]
mod tests {
    use api_monitoring::Prometheus;
    use api_monitoring::prometheus::shared::PrometheusWebSpec;

    use super::*;

    #[test]
    fn a_web_configuration_that_the_version_cannot_read_is_reported() {
        let mut prometheus = Prometheus::default();
        prometheus.spec.shared.version = "2.23.0".into();
        for (web, expected) in [(None, 0), (Some(PrometheusWebSpec::default()), 1)] {
            prometheus.spec.shared.web = web;
            let instance = Instance::server(&prometheus).unwrap();
            let mut draft = Draft::new(&instance, String::new(), &[], true).unwrap();
            let (volumes, flags) = (draft.volumes.of_pod.clone(), draft.flags.arguments.clone());
            draft.put_web_config(&instance).unwrap();
            assert_eq!((&draft.flags.arguments, &draft.volumes.of_pod), (&flags, &volumes));
            assert_eq!(draft.flags.left_out.len(), expected);
        }
    }

    #[test]
    fn startup_takes_as_long_as_the_user_allows() {
        for (maximum, expected) in [
            (None, (15, 60)),
            (Some(59), (15, 60)),
            (Some(60), (60, 1)),
            (Some(61), (31, 2)),
            (Some(600), (60, 10)),
            (Some(601), (55, 11)),
        ] {
            assert_eq!(startup(maximum), expected, "{maximum:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn startup_is_never_shorter_than_the_user_allows(maximum in 60..i32::MAX) {
            let (period, failures) = startup(Some(maximum));
            proptest::prop_assert!(period <= 60 && i64::from(period) * i64::from(failures) >= i64::from(maximum));
        }
    }
}
