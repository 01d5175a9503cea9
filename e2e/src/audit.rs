//! The audit log of the API server: which pod wrote what.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use anyhow::{Context, Result};
use lab::control::AUDIT_LOG;
use serde_json::Value;

use crate::lab::Lab;

/// A write request.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// The pod that sent it.
    pub pod: String,
    /// The verb.
    pub verb: String,
    /// The resource, such as `statefulsets` or `exampleapps/status`.
    pub resource: String,
    /// The namespace of the object.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The status code of the response.
    pub code: u64,
    /// The body, except of Secrets.
    pub body: Value,
}

impl Write {
    /// Whether it names the resource version or the UID of the object, so that a late request is rejected.
    pub fn is_fenced(&self) -> bool {
        let metadata = &self.body["metadata"];
        let is_named = !metadata["resourceVersion"].is_null() || !metadata["uid"].is_null();
        is_named || !self.body["preconditions"]["uid"].is_null()
    }
}

/// A position in the log.
#[derive(Debug, Clone, Copy)]
pub struct Mark(u64);

/// The current end of the log.
pub fn mark(lab: &Lab) -> Result<Mark> {
    let path = lab.directory().join(AUDIT_LOG);
    Ok(Mark(path.metadata().with_context(|| format!("cannot read {}", path.display()))?.len()))
}

/// The writes of the operator since a position, except leases and events.
pub fn writes_since(lab: &Lab, mark: Mark) -> Result<Vec<Write>> {
    writes_of(lab, mark, "system:serviceaccount:mainstay-system:")
}

/// The writes of users with a prefix since a position, except leases, events and access reviews.
pub fn writes_of(lab: &Lab, mark: Mark, prefix: &str) -> Result<Vec<Write>> {
    let path = lab.directory().join(AUDIT_LOG);
    let mut file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    file.seek(SeekFrom::Start(mark.0))?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    Ok(lines.filter_map(|entry| write(&entry, prefix)).collect())
}

fn write(entry: &Value, prefix: &str) -> Option<Write> {
    let user = entry["user"]["username"].as_str()?;
    let object = &entry["objectRef"];
    let resource = object["resource"].as_str()?;
    let ignored = ["leases", "events", "selfsubjectaccessreviews"];
    if !user.starts_with(prefix) || ignored.contains(&resource) {
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
