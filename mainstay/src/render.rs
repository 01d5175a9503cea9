//! What the operators would apply for resources in files, without a cluster.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use api_example::ExampleApp;
use serde_json::Value;

/// The objects for the resources in these files and directories, as one YAML stream.
pub fn files(paths: &[PathBuf], namespace: &str) -> Result<String> {
    let mut stream = String::new();
    for path in paths {
        for (source, text) in read(path)? {
            let rendered = text_of(&text, namespace).with_context(|| source.display().to_string())?;
            stream.push_str(&rendered);
        }
    }
    Ok(stream)
}

/// The objects for the resources in a text, as a YAML stream.
pub fn text_of(text: &str, namespace: &str) -> Result<String> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).context("this is no YAML")?;
    let mut stream = String::new();
    for document in documents.into_iter().filter(|document| !document.is_null()) {
        for object in objects(document, namespace)? {
            stream.push_str("---\n");
            stream.push_str(&serde_saphyr::to_string(&object)?);
        }
    }
    Ok(stream)
}

/// The objects for one resource, in the order in which they are applied.
pub fn objects(mut resource: Value, namespace: &str) -> Result<Vec<Value>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (kind, name) = (text(&resource["kind"]), text(&resource["metadata"]["name"]));
    if resource["metadata"]["namespace"].is_null() {
        resource["metadata"]["namespace"] = namespace.into();
    }
    match kind.as_str() {
        "ExampleApp" => {
            let app: ExampleApp =
                serde_json::from_value(resource).with_context(|| format!("{kind} {name}"))?;
            match operator_example::render::render(&app) {
                Ok(desired) => Ok(desired.into_iter().map(|desired| desired.object).collect()),
                Err(invalid) => bail!("{kind} {name}: {}: {}", invalid.reason, invalid.message),
            }
        }
        "" => bail!("an object without a kind"),
        _ => bail!("{kind} {name} is no resource of ours; there is ExampleApp"),
    }
}

fn read(path: &Path) -> Result<Vec<(PathBuf, String)>> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(vec![("standard input".into(), text)]);
    }
    let file = |path: &Path| {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((path.to_owned(), text))
    };
    if !path.is_dir() {
        return Ok(vec![file(path)?]);
    }
    let entries = std::fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| {
        path.extension().is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end == *known))
    });
    paths.sort();
    paths.iter().map(|path| file(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = "apiVersion: example-app.appdelivery.cncf.io/v1alpha1\nkind: ExampleApp\nmetadata: {name: a}\nspec: {appVersion: 0.0.1}\n";

    /// The white paper's example: every object, whole, as it would be applied.
    #[test]
    fn the_example_of_the_paper() {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/example-app.yaml");
        insta::assert_snapshot!(files(&[sample.into()], "default").unwrap());
    }

    #[test]
    fn every_file_of_a_directory_is_read_in_order() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("2.yaml"), APP.replace("name: a", "name: b")).unwrap();
        std::fs::write(directory.path().join("1.yml"), format!("---\n{APP}---\n")).unwrap();
        std::fs::write(directory.path().join("notes.txt"), "not YAML: [").unwrap();
        let stream = files(&[directory.path().to_owned()], "here").unwrap();
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
    fn what_cannot_be_rendered_is_named() {
        let words = |text: &str| format!("{:#}", text_of(text, "default").unwrap_err());
        assert_eq!(
            words("kind: Pod\nmetadata: {name: x}\n"),
            "Pod x is no resource of ours; there is ExampleApp"
        );
        let bad = APP.replace("0.0.1", "latest");
        assert_eq!(
            words(&bad),
            "ExampleApp a: NoVersion: spec.appVersion \"latest\" is no version; write it as in 0.1.0"
        );
    }
}
