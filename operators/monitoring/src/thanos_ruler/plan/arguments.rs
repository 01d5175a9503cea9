//! The flags of a Thanos Ruler, the versions that have them, and the files that they refer to.

use api_monitoring::pod::Argument;
use api_monitoring::text::Duration;
use k8s_openapi::api::core::v1::SecretKeySelector;

use super::volumes::put_key;
use super::{DATA, RULES, WEB_PORT};
use crate::thanos_ruler::Instance;
use crate::workload::arguments::{FlagVersions, Flags, since};
use crate::workload::thanos;
use crate::workload::volume::Volumes;

/// The flags that not every version has.
const VERSIONS: &[FlagVersions] = &[
    since("remote-write.config-file", 0, 24),
    since("for-outage-tolerance", 0, 30),
    since("for-grace-period", 0, 30),
    since("rule-concurrent-evaluation", 0, 37),
    since("rule-query-offset", 0, 38),
    since("enable-feature", 0, 39),
];

/// The label that distinguishes the pods of a Thanos Ruler.
const REPLICA: &str = "thanos_ruler_replica";

/// All flags; the files that they refer to are added to the volumes.
pub(super) fn build(instance: &Instance<'_>, volumes: &mut Volumes) -> Vec<Argument> {
    let mut flags = Flags::new(&instance.version, VERSIONS);
    put_rules(&mut flags, instance);
    put_labels(&mut flags, instance);
    put_server(&mut flags, instance);
    put_files(&mut flags, instance, volumes);
    put_web(&mut flags, instance);
    flags.arguments
}

fn put_rules(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let spec = instance.spec;
    flags.put("data-dir", DATA);
    flags.put("eval-interval", &*spec.evaluation_interval);
    flags.put("tsdb.retention", &*spec.retention);
    let text = |duration: &Option<Duration>| duration.clone().unwrap_or_default();
    flags.put_text("rule-query-offset", &text(&spec.rule_query_offset));
    let number = spec.rule_concurrent_eval.filter(|number| *number > 0);
    flags.put_some("rule-concurrent-evaluation", number);
    flags.put_text("for-outage-tolerance", &text(&spec.rule_outage_tolerance));
    flags.put_text("for-grace-period", &text(&spec.rule_grace_period));
    flags.put_text("resend-delay", &text(&spec.resend_delay));
    if !spec.enable_features.is_empty() {
        let features: Vec<&str> = spec.enable_features.iter().map(|feature| &**feature).collect();
        flags.put("enable-feature", features.join(","));
    }
}

/// The label of the pod must not reach an Alertmanager, which would otherwise see one alert for each pod.
fn put_labels(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let spec = instance.spec;
    flags.put("label", format!(r#"{REPLICA}="$(POD_NAME)""#));
    for (label, value) in &spec.labels {
        flags.put("label", format!(r#"{label}="{value}""#));
    }
    flags.put("alert.label-drop", REPLICA);
    flags.put_all("alert.label-drop", &spec.alert_drop_labels);
}

fn put_server(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let workload = instance.workload;
    if workload.listen_local {
        flags.put("http-address", format!("localhost:{WEB_PORT}"));
    }
    if workload.log_level != "info" {
        flags.put_text("log.level", &workload.log_level);
    }
    flags.put_text("log.format", &workload.log_format);
    flags.put("rule-file", format!("{RULES}/*/*.yaml"));
}

fn put_files(flags: &mut Flags<'_>, instance: &Instance<'_>, volumes: &mut Volumes) {
    let spec = instance.spec;
    let endpoints = SecretKeySelector {
        name: instance.configuration_name(),
        key: instance.naming.configuration_key.into(),
        optional: None,
    };
    // The file is always mounted, so that the first endpoint changes one flag only.
    let file = put_key(volumes, "remote-write-config", &endpoints);
    if !spec.remote_write.is_empty() {
        flags.put("remote-write.config-file", file);
    }
    match &spec.query_config {
        Some(selector) => flags.put("query.config-file", put_key(volumes, "query-config", selector)),
        None => flags.put_all("query", &spec.query_endpoints),
    }
    match &spec.alertmanagers_config {
        Some(selector) => {
            flags.put("alertmanagers.config-file", put_key(volumes, "alertmanager-config", selector));
        }
        None => flags.put_all("alertmanagers.url", &spec.alertmanagers_url),
    }
    let tracing_file = Some(&spec.tracing_config_file).filter(|file| !file.is_empty());
    for (flag, file, selector, volume) in [
        (
            "objstore.config-file",
            spec.object_storage_config_file.as_ref(),
            &spec.object_storage_config,
            "objstorage-config",
        ),
        ("tracing.config-file", tracing_file, &spec.tracing_config, "tracing-config"),
        (
            "alert.relabel-config-file",
            spec.alert_relabel_config_file.as_ref(),
            &spec.alert_relabel_configs,
            "alertrelabel-config",
        ),
    ] {
        if let Some(file) = file {
            flags.put(flag, file.as_str());
        } else if let Some(selector) = selector {
            flags.put(flag, put_key(volumes, volume, selector));
        }
    }
}

fn put_web(flags: &mut Flags<'_>, instance: &Instance<'_>) {
    let spec = instance.spec;
    if let Some(tls) = &spec.grpc_server_tls_config {
        flags.arguments.extend(thanos::grpc_tls_arguments(tls, &instance.version));
    }
    flags.put_text("web.external-prefix", &spec.external_prefix);
    flags.put_text("web.route-prefix", &instance.workload.route_prefix);
    flags.put_text("alert.query-url", &spec.alert_query_url);
}

#[cfg(test)]
mod tests {
    use api_monitoring::ThanosRuler;
    use api_monitoring::prometheus::remote::RemoteWriteSpec;

    use super::*;
    use crate::workload::arguments::build as written;

    fn selector(key: &str) -> SecretKeySelector {
        SecretKeySelector { name: "secret".into(), key: key.into(), optional: None }
    }

    fn flags(ruler: &ThanosRuler) -> (Vec<String>, Vec<String>) {
        let mut volumes = Volumes::default();
        let instance = Instance::new(ruler).unwrap();
        let flags = written(&build(&instance, &mut volumes), &[]).unwrap();
        (flags, volumes.of_pod.into_iter().map(|volume| volume.name).collect())
    }

    fn ruler(version: &str) -> ThanosRuler {
        let mut ruler = ThanosRuler::default();
        let spec = &mut ruler.spec;
        spec.version = Some(version.into());
        spec.rule_query_offset = Some("1s".into());
        spec.rule_concurrent_eval = Some(2);
        spec.rule_outage_tolerance = Some("3s".into());
        spec.rule_grace_period = Some("4s".into());
        spec.resend_delay = Some("5s".into());
        spec.enable_features = vec!["a".into(), "b".into()];
        spec.labels = [("l".to_owned(), "v".to_owned())].into();
        spec.alert_drop_labels = vec!["d".into()];
        spec.workload.listen_local = true;
        (spec.workload.log_level, spec.workload.log_format) = ("debug".into(), "logfmt".into());
        spec.remote_write = vec![RemoteWriteSpec::default()];
        spec.query_config = Some(selector("query"));
        spec.query_endpoints = vec!["unused".into()];
        spec.alertmanagers_config = Some(selector("alertmanagers"));
        spec.alertmanagers_url = vec!["unused".into()];
        spec.object_storage_config = Some(selector("bucket"));
        spec.tracing_config = Some(selector("tracing"));
        spec.alert_relabel_configs = Some(selector("relabel"));
        (spec.external_prefix, spec.workload.route_prefix) = ("/e".into(), "/r".into());
        spec.alert_query_url = "https://query".into();
        ruler
    }

    #[test]
    fn all_flags_are_set_in_order() {
        let (flags, volumes) = flags(&ruler("v0.39.0"));
        assert_eq!(
            flags,
            [
                "--data-dir=/thanos/data",
                "--eval-interval",
                "--tsdb.retention",
                "--rule-query-offset=1s",
                "--rule-concurrent-evaluation=2",
                "--for-outage-tolerance=3s",
                "--for-grace-period=4s",
                "--resend-delay=5s",
                "--enable-feature=a,b",
                "--label=thanos_ruler_replica=\"$(POD_NAME)\"",
                "--label=l=\"v\"",
                "--alert.label-drop=thanos_ruler_replica",
                "--alert.label-drop=d",
                "--http-address=localhost:10902",
                "--log.level=debug",
                "--log.format=logfmt",
                "--rule-file=/etc/thanos/rules/*/*.yaml",
                "--remote-write.config-file=/etc/thanos/config/remote-write-config/remote-write.yaml",
                "--query.config-file=/etc/thanos/config/query-config/query",
                "--alertmanagers.config-file=/etc/thanos/config/alertmanager-config/alertmanagers",
                "--objstore.config-file=/etc/thanos/config/objstorage-config/bucket",
                "--tracing.config-file=/etc/thanos/config/tracing-config/tracing",
                "--alert.relabel-config-file=/etc/thanos/config/alertrelabel-config/relabel",
                "--web.external-prefix=/e",
                "--web.route-prefix=/r",
                "--alert.query-url=https://query",
            ]
        );
        let files = ["query", "alertmanager", "objstorage", "tracing", "alertrelabel"];
        let files = files.map(|file| format!("{file}-config"));
        assert_eq!(volumes[0], "remote-write-config");
        assert_eq!(volumes[1..], files);
    }

    #[test]
    fn old_versions_get_fewer_flags() {
        let (new, _) = flags(&ruler("v0.39.0"));
        let (old, _) = flags(&ruler("v0.23.0"));
        let missing: Vec<&str> = new
            .iter()
            .filter(|flag| !old.contains(flag))
            .map(|flag| flag.split('=').next().unwrap_or_default())
            .collect();
        assert_eq!(
            missing,
            [
                "--rule-query-offset",
                "--rule-concurrent-evaluation",
                "--for-outage-tolerance",
                "--for-grace-period",
                "--enable-feature",
                "--remote-write.config-file",
            ]
        );
    }

    #[test]
    fn a_file_of_the_container_wins_over_a_secret() {
        let mut ruler = ruler("v0.39.0");
        ruler.spec.object_storage_config_file = Some("/bucket".into());
        ruler.spec.tracing_config_file = "/tracing".into();
        ruler.spec.alert_relabel_config_file = Some("/relabel".into());
        (ruler.spec.query_config, ruler.spec.alertmanagers_config) = (None, None);
        let (flags, volumes) = flags(&ruler);
        let start = flags.iter().position(|flag| flag.starts_with("--query")).unwrap_or_default();
        assert_eq!(
            flags[start..start + 5],
            [
                "--query=unused",
                "--alertmanagers.url=unused",
                "--objstore.config-file=/bucket",
                "--tracing.config-file=/tracing",
                "--alert.relabel-config-file=/relabel",
            ]
        );
        assert_eq!(volumes, ["remote-write-config"]);
    }
}
