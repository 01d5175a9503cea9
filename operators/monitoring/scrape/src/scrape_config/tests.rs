//! Jobs that the recorded configurations do not contain.

use api_monitoring::ScrapeConfig;
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::reference::ObjectReference;
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::scrape_config::ScrapeConfigSpec;
use formats::version;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use monitoring_assets::Objects;
use monitoring_select::Server;

use crate::fragment::Fragment;

/// The job of `ns/web` for a workload.
fn rendered(version: &str, workload: &SharedSpec, spec: ScrapeConfigSpec) -> Fragment {
    let metadata =
        ObjectMeta { namespace: Some("ns".into()), name: Some("web".into()), ..ObjectMeta::default() };
    let resource = ScrapeConfig { metadata, spec, status: None };
    let server = Server::new(("monitoring", "main"), workload, version::parse(version).unwrap());
    super::render(&server, &resource, &Objects::default()).unwrap()
}

/// The text of the job, with these fields before the steps and these steps after the first one.
fn job(fields: &str, steps: &str) -> std::sync::Arc<str> {
    format!(
        "- job_name: scrapeConfig/ns/web\n{fields}  relabel_configs:\n  - source_labels:\n    - job\n    target_label: __tmp_prometheus_job_name\n{steps}"
    )
    .into()
}

fn step(target: &str, action: &str) -> RelabelConfig {
    RelabelConfig { target_label: target.into(), action: action.into(), ..RelabelConfig::default() }
}

#[test]
fn the_workload_overrides_only_fields_that_are_set() {
    let workload =
        SharedSpec { override_honor_labels: true, override_honor_timestamps: true, ..SharedSpec::default() };
    let unset = ScrapeConfigSpec::default();
    assert_eq!(rendered("3.0.0", &workload, unset).text, job("", ""));
    let set = ScrapeConfigSpec {
        honor_labels: Some(true),
        honor_timestamps: Some(true),
        track_timestamps_staleness: Some(false),
        ..ScrapeConfigSpec::default()
    };
    assert_eq!(
        rendered("3.0.0", &workload, set.clone()).text,
        job("  honor_timestamps: false\n  track_timestamps_staleness: false\n  honor_labels: false\n", "")
    );
    assert_eq!(
        rendered("3.0.0", &SharedSpec::default(), set).text,
        job("  honor_timestamps: true\n  track_timestamps_staleness: false\n  honor_labels: true\n", "")
    );
}

#[test]
fn the_namespace_is_enforced_with_and_without_steps_of_the_user() {
    let mut workload = SharedSpec { enforced_namespace_label: "tenant".into(), ..SharedSpec::default() };
    let enforced = "  - target_label: tenant\n    replacement: ns\n";
    let metrics = format!("  metric_relabel_configs:\n{enforced}");
    let without = ScrapeConfigSpec::default();
    let with = ScrapeConfigSpec { relabelings: vec![step("a", "Replace")], ..ScrapeConfigSpec::default() };
    let own = "  - target_label: a\n    action: replace\n";
    assert_eq!(rendered("3.0.0", &workload, without.clone()).text, job("", &format!("{enforced}{metrics}")));
    assert_eq!(
        rendered("3.0.0", &workload, with.clone()).text,
        job("", &format!("{own}{enforced}{metrics}"))
    );
    workload.excluded_from_enforcement = vec![ObjectReference {
        group: "monitoring.coreos.com".into(),
        resource: "scrapeconfigs".into(),
        namespace: "ns".into(),
        name: String::new(),
    }];
    assert_eq!(rendered("3.0.0", &workload, without).text, job("", ""));
    assert_eq!(rendered("3.0.0", &workload, with).text, job("", own));
}

#[test]
fn steps_come_from_the_class_then_the_name_then_the_user() {
    let class = ScrapeClass {
        name: "class".into(),
        default: Some(true),
        relabelings: vec![step("class", "")],
        metric_relabelings: vec![step("class", "LabelDrop")],
        ..ScrapeClass::default()
    };
    let workload = SharedSpec { scrape_classes: vec![class], ..SharedSpec::default() };
    let spec = ScrapeConfigSpec {
        job_name: Some("mine".into()),
        relabelings: vec![step("user", "")],
        metric_relabelings: vec![step("user", "")],
        ..ScrapeConfigSpec::default()
    };
    let steps = "  - target_label: class\n  - target_label: job\n    action: replace\n    replacement: mine\n  - target_label: user\n  metric_relabel_configs:\n  - target_label: class\n    action: labeldrop\n  - target_label: user\n";
    assert_eq!(rendered("3.0.0", &workload, spec).text, job("", steps));
}

#[test]
fn a_job_with_its_own_sharding_is_not_changed() {
    let workload = SharedSpec { shards: Some(2), ..SharedSpec::default() };
    let spec = ScrapeConfigSpec { relabelings: vec![step("a", "HashMod")], ..ScrapeConfigSpec::default() };
    let own = "  - target_label: a\n    action: hashmod\n";
    assert_eq!(rendered("3.0.0", &workload, spec).text, job("", own));
    let sharded = "  - source_labels:\n    - __address__\n    - __tmp_hash\n    target_label: __tmp_hash\n    regex: (.+);\n    replacement: $1\n    action: replace\n  - source_labels:\n    - __tmp_hash\n    target_label: __tmp_hash\n    modulus: 2\n    action: hashmod\n  - source_labels:\n    - __tmp_hash\n    - __tmp_disable_sharding\n    regex: $(SHARD);|.+;.+\n    action: keep\n";
    assert_eq!(rendered("3.0.0", &workload, ScrapeConfigSpec::default()).text, job("", sharded));
}

#[test]
fn schemes_of_names_need_a_version_and_unknown_ones_are_not_written() {
    let spec = |escaping: &str| ScrapeConfigSpec {
        name_validation_scheme: Some("Legacy".into()),
        name_escaping_scheme: Some(escaping.into()),
        ..ScrapeConfigSpec::default()
    };
    let workload = SharedSpec::default();
    let validation = "  metric_name_validation_scheme: legacy\n";
    let escaping = "  metric_name_escaping_scheme: values\n";
    let both = format!("{validation}{escaping}");
    assert_eq!(rendered("3.4.0", &workload, spec("Values")).text, job("", &both));
    assert_eq!(rendered("3.4.0", &workload, spec("Runes")).text, job("", validation));
    assert_eq!(rendered("3.3.1", &workload, spec("Values")).text, job("", validation));
    let old = rendered("2.55.1", &workload, spec("Values"));
    let left_out: Vec<String> = old.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(old.text, job("", ""));
    assert_eq!(
        left_out,
        [
            "metric_name_escaping_scheme is left out: it needs Prometheus 3.4 or later",
            "metric_name_validation_scheme is left out: it needs Prometheus 3.0 or later",
        ]
    );
}
