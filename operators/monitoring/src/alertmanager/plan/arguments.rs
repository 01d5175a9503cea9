//! The flags of an Alertmanager, and the versions that have them.

use api_monitoring::pod::Argument;
use go_syntax::byte_size;

use super::{CONFIG_OUT, DATA, MESH_PORT, OUTPUT_FILE, WEB_PORT};
use crate::alertmanager::Instance;
use crate::workload::arguments::{FlagVersions, Flags, argument, collisions, since};
use crate::workload::container::POD_NAME;
use crate::workload::operator::OperatorConfig;

/// The flags that not every version has.
const VERSIONS: &[FlagVersions] = &[
    since("log.format", 0, 16),
    since("web.get-concurrency", 0, 17),
    since("web.timeout", 0, 17),
    since("cluster.label", 0, 26),
    since("enable-feature", 0, 27),
    since("silences.max-silences", 0, 28),
    since("silences.max-per-silence-bytes", 0, 28),
    since("cluster.peer-name", 0, 30),
    since("dispatch.start-delay", 0, 30),
];

/// All flags but those of the web and the cluster configuration files.
pub(super) fn build(instance: &Instance<'_>, operator: &OperatorConfig) -> Vec<Argument> {
    let mut flags = Flags::new(&instance.version, VERSIONS);
    put_server(&mut flags, instance);
    put_limits(&mut flags, instance);
    put_log(&mut flags, instance);
    put_cluster(&mut flags, instance);
    put_peers(&mut flags, instance, operator);
    flags.arguments
}

fn put_server(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let (spec, workload) = (instance.spec, instance.workload);
    flags.put("config.file", format!("{CONFIG_OUT}/{OUTPUT_FILE}"));
    flags.put("storage.path", DATA);
    flags.put("data.retention", &*spec.retention);
    if workload.replicas.unwrap_or(1) == 1 && !spec.force_enable_cluster_mode {
        // An empty address turns the cluster off, so the `=` must be there.
        flags.put("cluster.listen-address=", "");
    } else {
        flags.put("cluster.listen-address", format!("[$(POD_IP)]:{MESH_PORT}"));
    }
    let host = if workload.listen_local { "127.0.0.1" } else { "" };
    flags.put("web.listen-address", format!("{host}:{WEB_PORT}"));
    flags.put_text("web.external-url", &spec.external_url);
    if !spec.enable_features.is_empty() {
        flags.put("enable-feature", spec.enable_features.join(","));
    }
    flags.put("web.route-prefix", instance.route_prefix());
}

fn put_limits(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let spec = instance.spec;
    if let Some(web) = &spec.web {
        flags.put_some("web.get-concurrency", web.get_concurrency);
        flags.put_some("web.timeout", web.timeout);
    }
    if let Some(limits) = &spec.limits {
        flags.put_some("silences.max-silences", limits.max_silences);
        let size = limits.max_per_silence_bytes.as_deref().filter(|size| !size.is_empty());
        // A size that cannot be read counts as zero.
        let bytes = size.map(|size| byte_size::parse(size).unwrap_or_default());
        flags.put_some("silences.max-per-silence-bytes", bytes);
    }
    if let Some(seconds) = instance.workload.min_ready_seconds {
        let delay = argument("dispatch.start-delay", format!("{seconds}s"));
        if collisions(std::slice::from_ref(&delay), &instance.workload.additional_args).is_empty() {
            flags.put(&delay.name, delay.value);
        }
    }
}

fn put_log(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let workload = instance.workload;
    for (flag, value, default) in
        [("log.level", &workload.log_level, "info"), ("log.format", &workload.log_format, "logfmt")]
    {
        if value != default {
            flags.put_text(flag, value);
        }
    }
}

fn put_cluster(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let (spec, owner) = (instance.spec, instance.owner);
    flags.put_text("cluster.advertise-address", &spec.cluster_advertise_address);
    flags.put_text("cluster.gossip-interval", &spec.cluster_gossip_interval);
    flags.put_text("cluster.pushpull-interval", &spec.cluster_pushpull_interval);
    flags.put_text("cluster.peer-timeout", &spec.cluster_peer_timeout);
    flags.put("cluster.peer-name", format!("$({POD_NAME})"));
    // Pod addresses are reused: without a label, a pod of another cluster could be mistaken for a peer.
    let own = || format!("{}/{}", owner.namespace(), owner.name());
    flags.put("cluster.label", spec.cluster_label.clone().unwrap_or_else(own));
}

fn put_peers(flags: &mut Flags<'_>, instance: &Instance<'_>, operator: &OperatorConfig) {
    let (name, service) = (instance.object_name(), instance.service_name());
    let domain = match operator.cluster_domain.as_str() {
        "" => service.to_owned(),
        domain => format!("{service}.{}.svc.{domain}.", instance.owner.namespace()),
    };
    for number in 0..instance.workload.replicas.unwrap_or(1) {
        flags.put("cluster.peer", format!("{name}-{number}.{domain}:{MESH_PORT}"));
    }
    flags.put_all("cluster.peer", &instance.spec.additional_peers);
    // A replaced pod has another address: its peers should not try the old one for hours.
    flags.put("cluster.reconnect-timeout", "5m");
}

#[cfg(test)]
mod tests {
    use api_monitoring::Alertmanager;
    use api_monitoring::alertmanager::{AlertmanagerLimitsSpec, AlertmanagerWebSpec};

    use super::*;
    use crate::alertmanager::instance::defaulted;
    use crate::workload::arguments::build as written;

    fn flags(alertmanager: &Alertmanager, operator: &OperatorConfig) -> Vec<String> {
        let alertmanager = defaulted(alertmanager);
        let instance = Instance::new(&alertmanager).unwrap();
        written(&build(&instance, operator), &[]).unwrap()
    }

    fn alertmanager(version: &str) -> Alertmanager {
        let mut alertmanager = Alertmanager::default();
        alertmanager.metadata.name = Some("main".into());
        alertmanager.metadata.namespace = Some("ns".into());
        let spec = &mut alertmanager.spec;
        spec.version = version.into();
        spec.workload.replicas = Some(2);
        spec.workload.listen_local = true;
        spec.external_url = "https://am".into();
        spec.workload.route_prefix = "/am".into();
        spec.enable_features = vec!["a".into(), "b".into()];
        spec.web = Some(AlertmanagerWebSpec {
            get_concurrency: Some(1),
            timeout: Some(2),
            ..AlertmanagerWebSpec::default()
        });
        spec.limits =
            Some(AlertmanagerLimitsSpec { max_silences: Some(3), max_per_silence_bytes: Some("1KB".into()) });
        spec.workload.min_ready_seconds = Some(4);
        (spec.workload.log_level, spec.workload.log_format) = ("debug".into(), "json".into());
        spec.cluster_advertise_address = "address".into();
        spec.cluster_gossip_interval = "1s".into();
        spec.cluster_pushpull_interval = "2s".into();
        spec.cluster_peer_timeout = "3s".into();
        spec.additional_peers = vec!["other:9094".into()];
        alertmanager
    }

    #[test]
    fn all_flags_are_set_in_order() {
        let operator = OperatorConfig { cluster_domain: "cluster.local".into(), ..OperatorConfig::default() };
        let peer = "alertmanager-operated.ns.svc.cluster.local.:9094";
        let peers = [0, 1].map(|number| format!("--cluster.peer=alertmanager-main-{number}.{peer}"));
        let mut expected: Vec<String> = [
            "--config.file=/etc/alertmanager/config_out/alertmanager.env.yaml",
            "--storage.path=/alertmanager",
            "--data.retention=120h",
            "--cluster.listen-address=[$(POD_IP)]:9094",
            "--web.listen-address=127.0.0.1:9093",
            "--web.external-url=https://am",
            "--enable-feature=a,b",
            "--web.route-prefix=/am",
            "--web.get-concurrency=1",
            "--web.timeout=2",
            "--silences.max-silences=3",
            "--silences.max-per-silence-bytes=1024",
            "--dispatch.start-delay=4s",
            "--log.level=debug",
            "--log.format=json",
            "--cluster.advertise-address=address",
            "--cluster.gossip-interval=1s",
            "--cluster.pushpull-interval=2s",
            "--cluster.peer-timeout=3s",
            "--cluster.peer-name=$(POD_NAME)",
            "--cluster.label=ns/main",
        ]
        .map(str::to_owned)
        .to_vec();
        expected.extend(peers);
        expected.push("--cluster.peer=other:9094".into());
        expected.push("--cluster.reconnect-timeout=5m".into());
        assert_eq!(flags(&alertmanager("v0.30.0"), &operator), expected);
    }

    #[test]
    fn old_versions_get_fewer_flags() {
        let flags = flags(&alertmanager("v0.15.3"), &OperatorConfig::default());
        let names: Vec<&str> = flags.iter().map(|flag| flag.split('=').next().unwrap_or_default()).collect();
        assert_eq!(
            names,
            [
                "--config.file",
                "--storage.path",
                "--data.retention",
                "--cluster.listen-address",
                "--web.listen-address",
                "--web.external-url",
                "--web.route-prefix",
                "--log.level",
                "--cluster.advertise-address",
                "--cluster.gossip-interval",
                "--cluster.pushpull-interval",
                "--cluster.peer-timeout",
                "--cluster.peer",
                "--cluster.peer",
                "--cluster.peer",
                "--cluster.reconnect-timeout",
            ]
        );
    }

    #[test]
    fn without_replicas_there_are_no_peers() {
        let mut alertmanager = Alertmanager::default();
        alertmanager.spec.workload.replicas = Some(0);
        alertmanager.spec.cluster_label = Some(String::new());
        let flags = flags(&alertmanager, &OperatorConfig::default());
        assert!(!flags.iter().any(|flag| flag.starts_with("--cluster.peer=")));
        assert!(flags.contains(&"--cluster.listen-address=[$(POD_IP)]:9094".to_owned()));
        assert!(flags.contains(&"--cluster.label".to_owned()));
    }

    #[test]
    fn a_start_delay_of_the_user_is_kept() {
        let mut alertmanager = alertmanager("v0.30.0");
        alertmanager.spec.workload.additional_args = vec![argument("dispatch.start-delay", "1m")];
        let flags = flags(&alertmanager, &OperatorConfig::default());
        assert!(!flags.iter().any(|flag| flag.starts_with("--dispatch")));
    }
}
