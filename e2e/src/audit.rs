//! The audit log of the API server: which program in a pod wrote what and when.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use anyhow::{Context, Result};
use lab::control::AUDIT_LOG;
use serde_json::Value;

use crate::lab::Lab;

/// A request that would change something.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// The pod that sent it.
    pub pod: String,
    /// What it asked for.
    pub verb: String,
    /// Of what: `statefulsets`, `exampleapps/status`.
    pub resource: String,
    /// Where.
    pub namespace: String,
    /// Which one.
    pub name: String,
    /// What it was answered.
    pub code: u64,
    /// What it sent, except to Secrets.
    pub body: Value,
}

impl Write {
    /// Whether it names the state or the identity of what it writes, so that one that comes late is refused.
    pub fn is_fenced(&self) -> bool {
        let metadata = &self.body["metadata"];
        let named = !metadata["resourceVersion"].is_null() || !metadata["uid"].is_null();
        named || !self.body["preconditions"]["uid"].is_null()
    }
}

/// A place in the log.
#[derive(Debug, Clone, Copy)]
pub struct Mark(u64);

/// The end of the log as it is now.
pub fn mark(lab: &Lab) -> Result<Mark> {
    let path = lab.directory().join(AUDIT_LOG);
    Ok(Mark(path.metadata().with_context(|| format!("cannot read {}", path.display()))?.len()))
}

/// What the operator wrote since, except leases and events.
pub fn writes_since(lab: &Lab, mark: Mark) -> Result<Vec<Write>> {
    writes_of(lab, mark, "system:serviceaccount:mainstay-system:")
}

/// What users whose names begin so wrote since, except leases, events and access reviews.
pub fn writes_of(lab: &Lab, mark: Mark, user: &str) -> Result<Vec<Write>> {
    let path = lab.directory().join(AUDIT_LOG);
    let mut file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    file.seek(SeekFrom::Start(mark.0))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    Ok(lines.filter_map(|entry| write(&entry, user)).collect())
}

fn write(entry: &Value, begins: &str) -> Option<Write> {
    let user = entry["user"]["username"].as_str()?;
    let object = &entry["objectRef"];
    let resource = object["resource"].as_str()?;
    let aside = ["leases", "events", "selfsubjectaccessreviews"];
    if !user.starts_with(begins) || aside.contains(&resource) {
        return None;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let subresource = object["subresource"].as_str().map(|name| format!("/{name}")).unwrap_or_default();
    Some(Write {
        pod: text(&entry["user"]["extra"]["authentication.kubernetes.io/pod-name"][0]),
        verb: text(&entry["verb"]),
        resource: format!("{resource}{subresource}"),
        namespace: text(&object["namespace"]),
        name: text(&object["name"]),
        code: entry["responseStatus"]["code"].as_u64().unwrap_or(0),
        body: entry["requestObject"].clone(),
    })
}
