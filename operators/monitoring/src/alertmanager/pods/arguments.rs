//! Flags of an Alertmanager, and which version has which. A flag that the version does not have is left out: it would keep
//! the container from starting.

use api_monitoring::pod::Argument;
use go_syntax::byte_size;

use super::instance::Instance;
use super::{CONFIG_OUT, DATA, MESH_PORT, OUTPUT_FILE, WEB_PORT};
use crate::workload::arguments::{argument, collisions};
use crate::workload::operator::OperatorConfig;
use crate::workload::reloader::POD_NAME;

/// Flags that not every version has, with the minor version of 0 from which on.
const SINCE: &[(&str, u64)] = &[
    ("log.format", 16),
    ("web.get-concurrency", 17),
    ("web.timeout", 17),
    ("cluster.label", 26),
    ("enable-feature", 27),
    ("silences.max-silences", 28),
    ("silences.max-per-silence-bytes", 28),
    ("cluster.peer-name", 30),
    ("dispatch.start-delay", 30),
];

/// Flags that are being collected.
struct Flags<'f> {
    instance: &'f Instance<'f>,
    arguments: Vec<Argument>,
}

impl Flags<'_> {
    /// Adds a flag, if the version has it.
    fn put(&mut self, name: &str, value: impl Into<String>) {
        let since = SINCE.iter().find(|row| row.0 == name).map(|row| row.1);
        if since.is_none_or(|minor| self.instance.at_least(minor)) {
            self.arguments.push(argument(name, value));
        }
    }

    /// Adds a flag that has a value, if the version has it.
    fn put_given(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.put(name, value);
        }
    }

    /// Adds a flag whose value is a number, if there is one and the version has the flag.
    fn put_number(&mut self, name: &str, number: Option<impl ToString>) {
        if let Some(number) = number {
            self.put(name, number.to_string());
        }
    }
}

/// All flags but those of files that protect something.
pub(super) fn build(instance: &Instance<'_>, operator: &OperatorConfig) -> Vec<Argument> {
    let mut flags = Flags { instance, arguments: Vec::new() };
    put_server(&mut flags);
    put_limits(&mut flags);
    put_log(&mut flags);
    put_cluster(&mut flags);
    put_peers(&mut flags, operator);
    flags.arguments
}

fn put_server(flags: &mut Flags<'_>) {
    let spec = flags.instance.spec;
    flags.put("config.file", format!("{CONFIG_OUT}/{OUTPUT_FILE}"));
    flags.put("storage.path", DATA);
    flags.put("data.retention", &*spec.retention);
    if spec.replicas.unwrap_or(1) == 1 && !spec.force_enable_cluster_mode {
        // The empty address turns the cluster off, so the sign of equality must be there.
        flags.put("cluster.listen-address=", "");
    } else {
        flags.put("cluster.listen-address", format!("[$(POD_IP)]:{MESH_PORT}"));
    }
    let host = if spec.listen_local { "127.0.0.1" } else { "" };
    flags.put("web.listen-address", format!("{host}:{WEB_PORT}"));
    flags.put_given("web.external-url", &spec.external_url);
    if !spec.enable_features.is_empty() {
        flags.put("enable-feature", spec.enable_features.join(","));
    }
    flags.put("web.route-prefix", flags.instance.route_prefix());
}

fn put_limits(flags: &mut Flags<'_>) {
    let spec = flags.instance.spec;
    if let Some(web) = &spec.web {
        flags.put_number("web.get-concurrency", web.get_concurrency);
        flags.put_number("web.timeout", web.timeout);
    }
    if let Some(limits) = &spec.limits {
        flags.put_number("silences.max-silences", limits.max_silences);
        let size = limits.max_per_silence_bytes.as_deref().filter(|size| !size.is_empty());
        // What cannot be read counts as nothing.
        let bytes = size.map(|size| byte_size::parse(size).unwrap_or_default());
        flags.put_number("silences.max-per-silence-bytes", bytes);
    }
    if let Some(seconds) = spec.min_ready_seconds {
        let delay = argument("dispatch.start-delay", format!("{seconds}s"));
        if collisions(std::slice::from_ref(&delay), &spec.additional_args).is_empty() {
            flags.put(&delay.name, delay.value);
        }
    }
}

fn put_log(flags: &mut Flags<'_>) {
    let spec = flags.instance.spec;
    for (flag, value, default) in
        [("log.level", &spec.log_level, "info"), ("log.format", &spec.log_format, "logfmt")]
    {
        if value != default {
            flags.put_given(flag, value);
        }
    }
}

fn put_cluster(flags: &mut Flags<'_>) {
    let (spec, owner) = (flags.instance.spec, flags.instance.owner());
    flags.put_given("cluster.advertise-address", &spec.cluster_advertise_address);
    flags.put_given("cluster.gossip-interval", &spec.cluster_gossip_interval);
    flags.put_given("cluster.pushpull-interval", &spec.cluster_pushpull_interval);
    flags.put_given("cluster.peer-timeout", &spec.cluster_peer_timeout);
    flags.put("cluster.peer-name", format!("$({POD_NAME})"));
    // Addresses of pods are used again: without a label, a pod of another cluster could be taken for a peer.
    let own = || format!("{}/{}", owner.namespace(), owner.name());
    flags.put("cluster.label", spec.cluster_label.clone().unwrap_or_else(own));
}

fn put_peers(flags: &mut Flags<'_>, operator: &OperatorConfig) {
    let (instance, spec) = (flags.instance, flags.instance.spec);
    let (name, service) = (instance.object_name(), instance.service_name());
    let domain = match operator.cluster_domain.as_str() {
        "" => service.to_owned(),
        domain => format!("{service}.{}.svc.{domain}.", instance.owner().namespace()),
    };
    for number in 0..spec.replicas.unwrap_or(1) {
        flags.put("cluster.peer", format!("{name}-{number}.{domain}:{MESH_PORT}"));
    }
    for peer in &spec.additional_peers {
        flags.put("cluster.peer", peer.as_str());
    }
    // A pod that is replaced comes back with another address: nobody should look for the old one for hours.
    flags.put("cluster.reconnect-timeout", "5m");
}

#[cfg(test)]
mod tests {
    use api_monitoring::Alertmanager;
    use api_monitoring::alertmanager::{AlertmanagerLimitsSpec, AlertmanagerWebSpec};

    use super::*;
    use crate::alertmanager::pods::instance::defaulted;
    use crate::workload::arguments::build as written;

    fn flags(alertmanager: &Alertmanager, operator: &OperatorConfig) -> Vec<String> {
        let alertmanager = defaulted(alertmanager);
        let instance = Instance::new(&alertmanager).unwrap();
        written(&build(&instance, operator), &[]).unwrap()
    }

    fn everything(version: &str) -> Alertmanager {
        let mut alertmanager = Alertmanager::default();
        alertmanager.metadata.name = Some("main".into());
        alertmanager.metadata.namespace = Some("ns".into());
        let spec = &mut alertmanager.spec;
        spec.version = version.into();
        spec.replicas = Some(2);
        spec.listen_local = true;
        spec.external_url = "https://am".into();
        spec.route_prefix = "/am".into();
        spec.enable_features = vec!["a".into(), "b".into()];
        spec.web = Some(AlertmanagerWebSpec {
            get_concurrency: Some(1),
            timeout: Some(2),
            ..AlertmanagerWebSpec::default()
        });
        spec.limits =
            Some(AlertmanagerLimitsSpec { max_silences: Some(3), max_per_silence_bytes: Some("1KB".into()) });
        spec.min_ready_seconds = Some(4);
        (spec.log_level, spec.log_format) = ("debug".into(), "json".into());
        spec.cluster_advertise_address = "address".into();
        spec.cluster_gossip_interval = "1s".into();
        spec.cluster_pushpull_interval = "2s".into();
        spec.cluster_peer_timeout = "3s".into();
        spec.additional_peers = vec!["other:9094".into()];
        alertmanager
    }

    #[test]
    fn everything_is_said_in_order() {
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
        assert_eq!(flags(&everything("v0.30.0"), &operator), expected);
    }

    #[test]
    fn an_old_version_is_told_less() {
        let told = flags(&everything("v0.15.3"), &OperatorConfig::default());
        let names: Vec<&str> = told.iter().map(|flag| flag.split('=').next().unwrap_or_default()).collect();
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
    fn no_pods_are_no_peers() {
        let mut alertmanager = Alertmanager::default();
        alertmanager.spec.replicas = Some(0);
        alertmanager.spec.cluster_label = Some(String::new());
        let told = flags(&alertmanager, &OperatorConfig::default());
        assert!(!told.iter().any(|flag| flag.starts_with("--cluster.peer=")));
        assert!(told.contains(&"--cluster.listen-address=[$(POD_IP)]:9094".to_owned()));
        assert!(told.contains(&"--cluster.label".to_owned()));
    }

    #[test]
    fn the_user_may_say_himself_how_long_to_wait() {
        let mut alertmanager = everything("v0.30.0");
        alertmanager.spec.additional_args = vec![argument("dispatch.start-delay", "1m")];
        let told = flags(&alertmanager, &OperatorConfig::default());
        assert!(!told.iter().any(|flag| flag.starts_with("--dispatch")));
    }
}
