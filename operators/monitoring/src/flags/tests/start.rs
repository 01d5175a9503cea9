//! Checks before the program starts, and the settings that follow from flags.

use std::collections::BTreeMap;

use crate::kubelet::{AddressPriority, KubeletSettings};
use crate::workload::operator::{OperatorConfig, ReloaderConfig};

use super::{error, flags};
use crate::flags::OperatorFlags;
use crate::flags::log::LogThreshold;

#[test]
fn invalid_values_are_rejected_at_the_start() {
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
fn a_later_flag_replaces_an_invalid_value() {
    assert_eq!(flags(&["-log-level=loud", "-log-level=warn"]).log.level, LogThreshold::Warn);
    assert_eq!(flags(&["-kubelet-service=a", "-kubelet-service="]), OperatorFlags::default());
}

#[test]
fn without_flags_settings_are_the_defaults() {
    let image = "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.1".to_owned();
    let reloader = ReloaderConfig { image, ..ReloaderConfig::default() };
    let expected = OperatorConfig { reloader, ..OperatorConfig::default() };
    assert_eq!(OperatorFlags::default().operator_config(), expected);
    assert_eq!(OperatorFlags::default().kubelet_settings(), None);
    let settings = KubeletSettings { namespace: "a".into(), name: "b".into(), ..KubeletSettings::default() };
    assert_eq!(flags(&["-kubelet-service=a/b"]).kubelet_settings(), Some(settings));
}

#[test]
fn settings_follow_from_flags() {
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
    let settings = KubeletSettings {
        namespace: "n".into(),
        name: "s".into(),
        labels,
        annotations,
        priority: AddressPriority::External,
        plain_http: false,
        endpoint_slices: true,
        ..KubeletSettings::default()
    };
    assert_eq!(flags.kubelet_settings(), Some(settings));
}
