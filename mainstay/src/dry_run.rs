//! Reports what the operators would write, and which pods would restart and why. The API server checks every write and persists
//! none.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use kernel::call::Verb;
use kernel::dry_run::DryRunWrite;
use kernel::hub::Once;
use kernel::queue::Outcome;
use kube::Client;
use serde_json::Value;

/// How many changed fields of an object are listed.
const FIELDS: usize = 5;

/// The result of a dry run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DryRunReport {
    /// A table of what would be written, and a summary.
    pub text: String,
    /// What could not be checked, or would fail. The rest is in the table.
    pub failures: Vec<String>,
}

/// A write, and the object that it would change.
#[derive(Debug, Clone, PartialEq)]
struct Write {
    verb: Verb,
    /// Kind and name, as `kubectl` takes them.
    object: String,
    subresource: Option<String>,
    present: Option<Value>,
    result: Value,
}

/// Reads the objects that would be written, and compares.
pub async fn report(client: &Client, once: &Once, writes: Vec<DryRunWrite>) -> Result<DryRunReport> {
    // Only the last write of an object counts.
    let last: BTreeMap<String, DryRunWrite> =
        writes.into_iter().map(|write| (write.call.describe(), write)).collect();
    let mut writes = Vec::new();
    for DryRunWrite { call, path, answer } in last.into_values() {
        let present = if call.verb == Verb::Create {
            None
        } else {
            Some(present(client, &path, call.subresource.as_deref()).await?)
        };
        let name = [call.namespace.as_deref(), call.name.as_deref()];
        let name: Vec<&str> = name.into_iter().flatten().collect();
        let object = format!("{} {}", call.kind(), name.join("/"));
        writes.push(Write {
            verb: call.verb,
            object,
            subresource: call.subresource,
            present,
            result: answer,
        });
    }
    Ok(DryRunReport { text: table(&writes), failures: failures(once) })
}

/// An object as it is now. The object also holds what its subresources hold.
#[expect(clippy::disallowed_methods, reason = "it reads an object")]
async fn present(client: &Client, path: &str, subresource: Option<&str>) -> Result<Value> {
    let part = subresource.map(|part| format!("/{part}")).unwrap_or_default();
    let path = path.strip_suffix(&part).unwrap_or(path);
    let request = http::Request::get(path).body(Vec::new()).context("the path is not valid")?;
    client.request(request).await.with_context(|| format!("cannot read {path}"))
}

fn failures(once: &Once) -> Vec<String> {
    let blind = once.blind.iter().map(|kind| {
        format!(
            "resources of kind {kind} were not checked: their definition or a required permission is missing"
        )
    });
    let failed = once.outcomes.iter().filter_map(|(kind, key, outcome)| match outcome {
        Outcome::Failed => Some(format!("{kind} {key}: reconciliation failed; the log says why")),
        Outcome::Unreadable => Some(format!("{kind} {key} cannot be read; the log says why")),
        Outcome::Settled | Outcome::Waiting(_) => None,
    });
    blind.chain(failed).collect()
}

fn table(writes: &[Write]) -> String {
    let mut text = String::new();
    let mut restarts = 0;
    let of_object: Vec<&Write> = writes.iter().filter(|write| write.subresource.is_none()).collect();
    let lines = of_object.iter().map(|write| {
        let (fields, pods) = (write.fields(), write.restarts());
        restarts += pods;
        (write.verb_in_words(), &write.object, consequence(write, &fields, pods))
    });
    let lines: Vec<(&str, &String, String)> = lines.collect();
    let width = lines.iter().map(|(_, object, _)| object.len()).max().unwrap_or_default();
    for (verb, object, what) in &lines {
        let line = format!("{verb:<8} {object:<width$}  {what}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let statuses = writes.len() - of_object.len();
    let (objects, statuses) = (count(lines.len(), "object", "s"), count(statuses, "status", "es"));
    let pods = count(restarts, "pod", "s");
    text + &format!("{objects} and {statuses} would be written; {pods} would restart.\n")
}

fn count(number: usize, word: &str, ending: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { ending })
}

fn consequence(write: &Write, fields: &[String], pods: usize) -> String {
    if write.is_of("statefulsets.apps") && write.verb == Verb::Delete {
        return "it would be recreated and adopt its pods; pods that it cannot update are replaced one at a time"
            .to_owned();
    }
    // If pods restart, only the fields that cause it are listed.
    let matters = |field: &&String| pods == 0 || field.starts_with("spec.template");
    let fields: Vec<&str> = fields.iter().filter(matters).map(String::as_str).collect();
    let named = fields.iter().take(FIELDS).copied().collect::<Vec<_>>().join(", ");
    let more = fields.len().saturating_sub(FIELDS);
    let named = if more == 0 { named } else { format!("{named} and {more} more") };
    if pods == 0 { named } else { format!("{} would restart: {named}", count(pods, "pod", "s")) }
}

impl Write {
    fn is_of(&self, kind: &str) -> bool {
        self.object.split(' ').next() == Some(kind)
    }

    fn verb_in_words(&self) -> &'static str {
        match self.verb {
            Verb::Create => "create",
            Verb::Delete | Verb::DeleteCollection => "delete",
            Verb::Update | Verb::Patch | Verb::Get | Verb::List | Verb::Watch | Verb::Other => "change",
        }
    }

    /// The fields that would change.
    fn fields(&self) -> Vec<String> {
        let mut fields = Vec::new();
        if let (Verb::Update | Verb::Patch, Some(present)) = (self.verb, &self.present) {
            compare("", present, &self.result, &mut fields);
        }
        fields
    }

    /// How many pods would restart.
    fn restarts(&self) -> usize {
        let Some(present) = &self.present else { return 0 };
        let pods = match self.object.split(' ').next() {
            Some("statefulsets.apps") => &present["spec"]["replicas"],
            Some("daemonsets.apps") => &present["status"]["desiredNumberScheduled"],
            _ => return 0,
        };
        let is_changed = present.pointer("/spec/template") != self.result.pointer("/spec/template");
        let pods = pods.as_u64().and_then(|pods| usize::try_from(pods).ok()).unwrap_or_default();
        if is_changed && self.verb != Verb::Delete { pods } else { 0 }
    }
}

/// Fields that only the API server writes.
const SERVER_FIELDS: [&str; 5] =
    ["status", "metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "metadata.uid"];

/// Collects the paths of the fields that differ.
fn compare(path: &str, present: &Value, result: &Value, fields: &mut Vec<String>) {
    if present == result || SERVER_FIELDS.contains(&path) {
        return;
    }
    match (present, result) {
        (Value::Object(left), Value::Object(right)) => {
            let names = left.keys().chain(right.keys().filter(|name| !left.contains_key(*name)));
            for name in names {
                compare(&below(path, name), &present[name], &result[name], fields);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (at, (left, right)) in left.iter().zip(right).enumerate() {
                compare(&format!("{path}[{at}]"), left, right, fields);
            }
        }
        _ => fields.push(path.to_owned()),
    }
}

fn below(path: &str, name: &str) -> String {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric());
    match (path, is_plain) {
        ("", _) => name.to_owned(),
        (_, true) => format!("{path}.{name}"),
        (_, false) => format!("{path}[{name}]"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kernel::object::Key;
    use serde_json::json;

    use super::*;

    fn write(verb: Verb, object: &str, present: Option<Value>, result: Value) -> Write {
        Write { verb, object: object.into(), subresource: None, present, result }
    }

    #[test]
    fn pods_restart_for_another_template_and_for_nothing_else() {
        let set = |image: &str, replicas: u8| {
            json!({
                "metadata": {"generation": replicas, "annotations": {"a.b/c": image}},
                "spec": {"replicas": replicas, "template": {"spec": {"containers": [{"image": image}]}}},
                "status": {"readyReplicas": replicas},
            })
        };
        let name = "statefulsets.apps monitoring/prometheus-main";
        let secret = |text: &str| json!({"data": {"prometheus.yaml.gz": text}});
        let status = Write {
            subresource: Some("status".into()),
            ..write(
                Verb::Patch,
                "prometheuses.monitoring.coreos.com monitoring/main",
                Some(json!({})),
                json!({}),
            )
        };
        let writes = [
            write(Verb::Create, "services monitoring/prometheus-operated", None, json!({})),
            write(Verb::Update, "secrets monitoring/prometheus-main", Some(secret("a")), secret("b")),
            write(Verb::Update, name, Some(set("a", 2)), set("b", 3)),
            write(Verb::Update, "statefulsets.apps monitoring/scaled", Some(set("a", 2)), {
                let mut scaled = set("a", 3);
                scaled["metadata"]["generation"] = json!(2);
                scaled
            }),
            write(
                Verb::Delete,
                "statefulsets.apps monitoring/other",
                Some(set("a", 2)),
                json!({"status": "Success"}),
            ),
            status,
        ];
        insta::assert_snapshot!(table(&writes), @r"
        create   services monitoring/prometheus-operated
        change   secrets monitoring/prometheus-main            data[prometheus.yaml.gz]
        change   statefulsets.apps monitoring/prometheus-main  2 pods would restart: spec.template.spec.containers[0].image
        change   statefulsets.apps monitoring/scaled           spec.replicas
        delete   statefulsets.apps monitoring/other            it would be recreated and adopt its pods; pods that it cannot update are replaced one at a time
        5 objects and 1 status would be written; 2 pods would restart.
        ");
    }

    #[test]
    fn failures_are_listed() {
        let outcome = |outcome| ("Prometheus", Key::new("n", "a"), outcome);
        let once = Once {
            outcomes: vec![
                outcome(Outcome::Waiting(Duration::ZERO)),
                outcome(Outcome::Settled),
                outcome(Outcome::Failed),
            ],
            blind: vec!["ThanosRuler"],
        };
        let expected = [
            "resources of kind ThanosRuler were not checked: their definition or a required permission is missing",
            "Prometheus n/a: reconciliation failed; the log says why",
        ];
        assert_eq!(failures(&once), expected);
    }
}
