//! Files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Duration, text};

text! {
    /// Path of a JSON or YAML file with targets; the file name may contain one `*`.
    #[schemars(extend("pattern" = r"^[^*]*(\*[^/]*)?\.(json|yml|yaml|JSON|YML|YAML)$"))]
    SdFile
}

/// Discovery of targets from files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["files"]))]
pub struct FileSdConfig {
    /// Files to read, which must be mounted into the Prometheus container.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub files: Vec<SdFile>,
    /// Time between two refreshes of the target list.
    pub refresh_interval: Option<Duration>,
}
