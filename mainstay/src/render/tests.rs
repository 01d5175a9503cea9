//! What is rendered for files.

use product::render::read_text;
use serde_json::Value;

use super::*;

const APP: &str = "apiVersion: example-app.appdelivery.cncf.io/v1alpha1\nkind: ExampleApp\nmetadata: {name: a}\nspec: {appVersion: 0.0.1}\n";

/// A golden test of a whole configuration, in a directory where `make test` checks it with the program that reads it.
pub(super) fn checked(reader: &str, version: &str, name: &str, configuration: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("configurations/{reader}/{version}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name, configuration));
}

fn text(text: &str) -> RenderOutput {
    render(&read_text(text, "default").unwrap()).unwrap()
}

/// The white paper's example: every object, whole, as it would be applied.
#[test]
fn the_example_of_the_paper() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/example-app.yaml");
    let rendered = files(&[sample.into()], "default").unwrap();
    assert_eq!((rendered.notes, rendered.failures), (Vec::new(), Vec::new()));
    insta::assert_snapshot!(rendered.text);
}

#[test]
fn every_file_of_a_directory_is_read_in_order() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("2.yaml"), APP.replace("name: a", "name: b")).unwrap();
    std::fs::write(directory.path().join("1.yml"), format!("---\n{APP}---\n")).unwrap();
    std::fs::write(directory.path().join("notes.txt"), "not YAML: [").unwrap();
    let stream = files(&[directory.path().to_owned()], "here").unwrap().text;
    let objects: Vec<Value> = serde_saphyr::from_multiple(&stream).unwrap();
    let names: Vec<String> = objects
        .iter()
        .map(|object| {
            format!(
                "{} {} {}",
                object["kind"].as_str().unwrap(),
                object["metadata"]["namespace"].as_str().unwrap(),
                object["metadata"]["name"].as_str().unwrap()
            )
        })
        .collect();
    let expected = |app: &str| {
        [
            format!("ConfigMap here {app}-features"),
            format!("PodDisruptionBudget here {app}"),
            format!("Secret here {app}-auth"),
            format!("Service here {app}"),
            format!("Service here {app}-instances"),
            format!("StatefulSet here {app}"),
        ]
    };
    assert_eq!(names, [expected("a"), expected("b")].concat());
}

#[test]
fn resources_that_cannot_be_rendered_are_reported() {
    assert_eq!(
        text("kind: Pod\nmetadata: {name: x}\n"),
        RenderOutput {
            notes: vec!["Pod default/x is skipped: it is not a resource of Mainstay".into()],
            ..RenderOutput::default()
        }
    );
    assert_eq!(
        text(&APP.replace("0.0.1", "latest")).failures,
        ["ExampleApp default/a: the API server would reject it: spec.appVersion: \"latest\" does not match \
          ^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$"]
    );
    assert_eq!(
        text("apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitors\nmetadata: {name: x}\n").failures,
        ["ServiceMonitors default/x: there is no kind \"ServiceMonitors\" in \"monitoring.coreos.com/v1\""]
    );
}

/// The monitoring sample: every object, whole, as it would be applied.
#[test]
fn the_monitoring_sample() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/monitoring.yaml");
    let rendered = files(&[sample.into()], "default").unwrap();
    assert_eq!(rendered.failures, Vec::<String>::new());
    assert_eq!(
        rendered.notes,
        ["ServiceAccount monitoring/prometheus is skipped: it is not a resource of Mainstay"]
    );
    insta::assert_snapshot!(rendered.text);
}

/// The configurations of the sample's workloads.
#[test]
fn the_configurations_of_the_sample() {
    let sample: PathBuf = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/monitoring.yaml").into();
    for (kind, name, reader, version) in [
        ("prometheus", "main", "prometheus", "3.13.1"),
        ("prometheusagent", "edge", "prometheus-agent", "3.13.1"),
        ("alertmanager", "main", "alertmanager", "0.33.1"),
        ("thanosruler", "main", "", ""),
    ] {
        let rendered =
            configuration(std::slice::from_ref(&sample), "default", &format!("{kind}/monitoring/{name}"))
                .unwrap();
        assert_eq!(rendered.failures, Vec::<String>::new());
        if reader.is_empty() {
            // No program checks the configuration of a Thanos Ruler.
            insta::assert_snapshot!(kind, rendered.text);
        } else {
            checked(reader, version, "sample", &rendered.text);
        }
    }
    let error = configuration(&[sample], "default", "prometheus/monitoring/other").unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no prometheus/monitoring/other in these files; there is prometheus/monitoring/main, \
         alertmanager/monitoring/main, thanosruler/monitoring/main, prometheusagent/monitoring/edge"
    );
}
