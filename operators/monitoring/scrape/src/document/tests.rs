//! Whole files, from fragments.

use api_monitoring::prometheus::shared::SharedSpec;
use formats::version::Version;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use monitoring_assets::SourceKind;

use super::*;

fn fragment(name: &str) -> Fragment {
    let reference =
        Reference { source: SourceKind::Secret, namespace: "ns".to_owned(), name: name.to_owned() };
    let text = format!("- job_name: {name}\n");
    Fragment { text: text.into(), references: [reference].into(), left_out: Vec::new() }
}

/// The names of the jobs of an agent that selected one resource of each kind.
fn agent_jobs(mode: Mode) -> Vec<String> {
    let (name, fragments) = ("ns/name".into(), ["service", "pod", "probe", "config"].map(fragment));
    let of_kind = |kind| fragments.get(kind as usize).map(|fragment| (&name, fragment)).into_iter().collect();
    let jobs = Jobs { resources: PerKind::new(of_kind), additional: Some("- job_name: own") };
    let spec = SharedSpec::default();
    let mut server = Server::new(("ns", "name"), &spec, Version::new(3, 0, 0));
    server.mode = mode;
    let document = agent(&AgentInputs { server: &server, jobs, objects: &Objects::default() }).unwrap();
    let text = document.text();
    let names = text.lines().filter_map(|line| line.strip_prefix("- job_name: "));
    names.map(str::to_owned).collect()
}

#[test]
fn an_agent_on_every_node_scrapes_pods_only() {
    assert_eq!(agent_jobs(Mode::Agent), ["pod", "own", "service", "probe", "config"]);
    assert_eq!(agent_jobs(Mode::DaemonSet), ["pod", "own"]);
}

#[test]
fn the_parts_of_a_server_are_one_file() {
    let [one, two] = ["b", "a"].map(fragment);
    let (first, second) = ("ns/a".into(), "ns/b".into());
    let mut jobs = Jobs::default();
    jobs.resources[SelectableKind::PodMonitor] = vec![(&first, &two), (&second, &one)];
    let shared = SharedSpec {
        prometheus_external_label_name: Some(String::new()),
        replica_external_label_name: Some(String::new()),
        ..SharedSpec::default()
    };
    let rule_selector = Some(LabelSelector::default());
    let spec = PrometheusSpec { shared, rule_selector, ..PrometheusSpec::default() };
    let server = Server::new(("ns", "name"), &spec.shared, Version::new(3, 11, 0));
    let mut inputs = ServerInputs {
        server: &server,
        spec: &spec,
        jobs,
        alerting: AdditionalAlerting::default(),
        rule_config_maps: &["rules-0".to_owned()],
        objects: &Objects::default(),
    };
    let head = "global:\n  scrape_interval: \"\"\n  external_labels: {}\n  evaluation_interval: \"\"\n\
        rule_files:\n- /etc/prometheus/rules/rules-0/*.yaml\n";
    let tail = "storage:\n  tsdb:\n    retention:\n      time: 24h\n";
    let jobs = "scrape_configs:\n- job_name: a\n- job_name: b\n";
    let document = super::server(&inputs).unwrap();
    assert_eq!(document.text(), format!("{head}{jobs}{tail}"));
    let names: Vec<String> = document.pieces.iter().map(|piece| piece.name().concat()).collect();
    assert_eq!(names, ["head", "podMonitor/ns/a", "podMonitor/ns/b", "additional", "tail"]);
    assert_eq!((document.left_out, document.references), (Vec::new(), BTreeSet::new()));

    inputs.jobs = Jobs::default();
    assert_eq!(super::server(&inputs).unwrap().text(), format!("{head}scrape_configs: []\n{tail}"));
}
