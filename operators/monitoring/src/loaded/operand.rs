//! Who takes a configuration or does not: an operand, in the state in which its workload runs it.
//!
//! A refusal tells of an object only as long as the rest stays the same. If the image is another one, or what the
//! workload adds of its own, what was refused may be taken, and what is taken now would have been taken before: refusals
//! of another state are tried again, and a search that began in one is given up.
//!
//! The state is a hash of the spec, of the image and of the contents of what the spec points to, and not the
//! generation: that one grows too when somebody scales a workload, and then servers start, which must not find what
//! another one has refused. So what says how many servers there are, and how large, is left out. All else counts, also
//! fields that nobody here knows: to try once too often costs seconds, for servers that run keep what they have; not to
//! try again would keep a good object out for ever. Contents are read and not versions, so that somebody who only
//! touches a Secret, again and again, changes nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::loaded::fingerprint::{self, Directory};

/// So many letters of a hash tell two states apart.
const LETTERS: usize = 16;

/// What of a spec has no say in what an operand takes.
const SIZES: [&str; 5] = ["paused", "replicas", "resources", "shards", "storage"];

/// An operand, in the state in which its workload runs it. It is the same after a restart of the operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// Its name with its version, as users read it: `Prometheus 2.42.0`.
    pub by: String,
    /// What of the workload has a say in what is taken, as [`state`] tells it. Old records have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workload: String,
}

/// What of a workload has a say in what its operand takes: its spec, the image, and what it points to.
pub fn state<'r>(spec: &Value, image: &str, read: impl IntoIterator<Item = Directory<'r>>) -> String {
    let mut spec = spec.clone();
    if let Some(fields) = spec.as_object_mut() {
        fields.retain(|name, _| !SIZES.contains(&name.as_str()));
    }
    let (spec, read) = (spec.to_string(), fingerprint::watched(read));
    short(&fingerprint::in_pieces([spec.as_bytes(), b"\n", image.as_bytes(), b"\n", read.as_bytes()]))
}

/// Enough of a hash.
pub fn short(hash: &str) -> String {
    hash.chars().take(LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    fn of(spec: &Value, image: &str, jobs: &str) -> String {
        let files = BTreeMap::from([("jobs".to_owned(), jobs.as_bytes().to_vec())]);
        state(spec, image, [Directory { path: "Secret team/own", files: &files }])
    }

    #[test]
    fn whatever_has_a_say_in_what_is_taken_is_another_state() {
        let spec = json!({"image": "own", "version": "v3.13.1", "replicas": 1});
        let first = of(&spec, "own", "- job_name: a");
        assert_eq!(first.len(), LETTERS);
        assert_ne!(of(&json!({"image": "full", "version": "v3.13.1"}), "own", "- job_name: a"), first);
        assert_ne!(of(&spec, "full", "- job_name: a"), first, "the operator has another default");
        assert_ne!(of(&spec, "own", "- job_name: b"), first);
        assert_ne!(state(&spec, "own", []), first, "it is gone");
    }

    #[test]
    fn how_many_servers_there_are_and_how_large_is_not() {
        let spec = json!({"version": "v3.13.1", "replicas": 1});
        let sizes = json!({"memory": "1Gi"});
        let scaled = json!({"version": "v3.13.1", "replicas": 2, "shards": 3, "paused": false, "resources": sizes, "storage": {}});
        assert_eq!(of(&spec, "own", ""), of(&scaled, "own", ""));
    }
}
