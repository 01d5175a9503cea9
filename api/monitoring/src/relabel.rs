//! Relabeling steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::LabelName;

/// One relabeling step: it changes labels, or keeps or drops the target, sample or alert.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RelabelConfig {
    /// Labels whose values are joined and matched against `regex`.
    pub source_labels: Vec<LabelName>,
    /// Text between the joined values of `sourceLabels`; unset means `;`.
    pub separator: Option<String>,
    /// Label that the result is written to.
    pub target_label: String,
    /// Regular expression for the joined value or, in label actions, the label names; it must match in full.
    pub regex: String,
    /// Divisor of the hash of the joined value, for the action `hashmod`.
    #[schemars(range(min = 0))]
    pub modulus: i64,
    /// New value if `regex` matches; may use its groups, such as `$1`.
    pub replacement: Option<String>,
    /// Action to perform on a match.
    #[schemars(extend("enum" = ["replace", "Replace", "keep", "Keep", "drop", "Drop", "hashmod", "HashMod", "labelmap", "LabelMap", "labeldrop", "LabelDrop", "labelkeep", "LabelKeep", "lowercase", "Lowercase", "uppercase", "Uppercase", "keepequal", "KeepEqual", "dropequal", "DropEqual"]), extend("default" = "replace"))]
    pub action: String,
}
