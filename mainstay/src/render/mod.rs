//! What the operators would apply for resources in files, without a cluster.
//!
//! | file | owns |
//! |---|---|
//! | `documents` | reading files |
//! | `schema` | what the API server would say about a resource, and fill in |
//! | `monitoring` | the workloads of monitoring, with all that is beside them in the files |

mod documents;
mod monitoring;
mod schema;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use api_example::ExampleApp;
use documents::Document;
use serde_json::Value;

/// What is to be printed and told.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Objects as a YAML stream, or the configuration that was asked for.
    pub text: String,
    /// What users should know.
    pub notes: Vec<String>,
    /// What could not be rendered. The rest was.
    pub failures: Vec<String>,
}

/// The objects for the resources in these files and directories.
pub fn files(paths: &[PathBuf], namespace: &str) -> Result<Rendered> {
    Ok(stream(documents::read_all(paths, namespace)?))
}

/// One configuration of the resources in these files, named as `prometheus/NAMESPACE/NAME`.
pub fn configuration(paths: &[PathBuf], namespace: &str, workload: &str) -> Result<Rendered> {
    let documents = documents::read_all(paths, namespace)?;
    let input = monitoring::Input::read(documents.into_iter().filter(Document::is_monitoring));
    input.configuration(workload)
}

fn stream(documents: Vec<Document>) -> Rendered {
    let mut rendered = Rendered::default();
    let (monitoring, others): (Vec<Document>, Vec<Document>) =
        documents.into_iter().partition(Document::is_monitoring);
    for document in others {
        let name = document.name();
        if document.kind() != "ExampleApp" {
            rendered.notes.push(format!("{name} is passed over: it is no resource of ours"));
            continue;
        }
        match example(document.value) {
            Ok(objects) => objects.iter().for_each(|object| rendered.add(object)),
            Err(error) => rendered.failures.push(format!("{name}: {error:#}")),
        }
    }
    monitoring::Input::read(monitoring).render(&mut rendered);
    rendered
}

impl Rendered {
    /// Adds an object to the stream.
    fn add(&mut self, object: &Value) {
        match serde_saphyr::to_string(object) {
            Ok(text) => {
                self.text.push_str("---\n");
                self.text.push_str(&text);
            }
            Err(error) => self.failures.push(format!("an object cannot be written: {error}")),
        }
    }
}

/// The objects for an `ExampleApp`, in the order in which they are applied.
pub fn example(resource: Value) -> Result<Vec<Value>> {
    let app: ExampleApp = serde_json::from_value(resource).context("it cannot be read")?;
    match operator_example::render::render(&app) {
        Ok(desired) => Ok(desired.into_iter().map(|desired| desired.object).collect()),
        Err(invalid) => bail!("{}: {}", invalid.reason, invalid.message),
    }
}

#[cfg(test)]
mod awkward;
#[cfg(test)]
mod tests;
