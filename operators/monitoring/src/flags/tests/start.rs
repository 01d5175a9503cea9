//! What is found wrong before the program starts, and what other rooms are told.

use std::collections::BTreeMap;

use crate::kubelet::{Priority, Settings};
use crate::workload::operator::{OperatorConfig, ReloaderConfig};

use super::{error, flags};
use crate::flags::Flags;
use crate::flags::log::Level;

#[test]
fn what_nobody_can_start_with_is_named() {
    for (arguments, words) in [
        (
            &["-namespaces=a", "-deny-namespaces=b"][..],
            "-namespaces and -deny-namespaces: allow and deny lists are mutually exclusive, only one should be provided",
        ),
        (
            &["-namespaces=", "-deny-namespaces="],
            "-namespaces and -deny-namespaces: allow and deny lists are mutually exclusive, only one should be provided",
        ),
        (
            &["-kubelet-service=kubelet"],
            "malformatted kubelet object string \"kubelet\", must be in format \"namespace/name\"",
        ),
        (
            &["-kubelet-service=a/b/c"],
            "malformatted kubelet object string \"a/b/c\", must be in format \"namespace/name\"",
        ),
        (
            &["-kubelet-service=/b"],
            "malformatted kubelet object string \"/b\", must be in format \"namespace/name\"",
        ),
        (
            &["-kubelet-service=a/b", "-kubelet-sync-period=-1s"],
            "-kubelet-sync-period must be longer than zero when -kubelet-service is given",
        ),
        (
            &["-log-level=loud"],
            "log log_level loud unknown, [all debug info warn error none] are possible values",
        ),
        (&["-log-format=xml"], "log format xml unknown, [logfmt json] are possible values"),
        (
            &["-feature-gates=Turbo=true", "-feature-gates=PrometheusAgentDaemonSet=true"],
            "failed to update feature gates: feature gate \"Turbo\" is unknown (supported feature gates: \
             PrometheusAgentDaemonSet=false,PrometheusShardRetentionPolicy=true,PrometheusTopologySharding=true,\
             RemoteWriteCustomResourceDefinition=false,StatusForConfigurationResources=false)",
        ),
        (
            &["-web.enable-tls", "-web.tls-curves=round"],
            "failed to create TLS configuration: \"round\" is not a supported curve value",
        ),
    ] {
        assert_eq!(error(arguments).to_string(), words);
    }
}

#[test]
fn a_later_flag_mends_what_an_earlier_one_broke() {
    assert_eq!(flags(&["-log-level=loud", "-log-level=warn"]).log.level, Level::Warn);
    assert_eq!(flags(&["-kubelet-service=a", "-kubelet-service="]), Flags::default());
}

#[test]
fn without_flags_other_rooms_are_told_their_defaults() {
    let image = "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.1".to_owned();
    let reloader = ReloaderConfig { image, ..ReloaderConfig::default() };
    let expected = OperatorConfig { reloader, ..OperatorConfig::default() };
    assert_eq!(Flags::default().operator_config(), expected);
    assert_eq!(Flags::default().kubelet_settings(), None);
    let settings = Settings { namespace: "a".into(), name: "b".into(), ..Settings::default() };
    assert_eq!(flags(&["-kubelet-service=a/b"]).kubelet_settings(), Some(settings));
}

#[test]
fn other_rooms_are_told_what_flags_say() {
    let flags = flags(&[
        "-annotations=a=1",
        "-labels=l=1",
        "-localhost=127.0.0.1",
        "-prometheus-default-base-image=p",
        "-alertmanager-default-base-image=a",
        "-thanos-default-base-image=t",
        "-cluster-domain=cluster.local",
        "-prometheus-config-reloader=r",
        "-feature-gates=PrometheusTopologySharding=false",
        "-kubelet-service=n/s",
        "-kubelet-node-address-priority=external",
        "-kubelet-http-metrics=false",
        "-kubelet-endpointslice",
    ]);
    let annotations = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
    let labels = BTreeMap::from([("l".to_owned(), "1".to_owned())]);
    let operator = OperatorConfig {
        annotations: annotations.clone(),
        labels: labels.clone(),
        local_host: "127.0.0.1".into(),
        prometheus_image: "p".into(),
        alertmanager_image: "a".into(),
        thanos_image: "t".into(),
        cluster_domain: "cluster.local".into(),
        reloader: ReloaderConfig { image: "r".into(), ..ReloaderConfig::default() },
        topology_sharding: false,
    };
    assert_eq!(flags.operator_config(), operator);
    let settings = Settings {
        namespace: "n".into(),
        name: "s".into(),
        labels,
        annotations,
        priority: Priority::External,
        plain_http: false,
        endpoint_slices: true,
        ..Settings::default()
    };
    assert_eq!(flags.kubelet_settings(), Some(settings));
}
