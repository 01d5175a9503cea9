//! How metrics that are received over OTLP are processed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::text;

text! {
    /// How OTLP names become Prometheus names.
    #[schemars(extend("enum" = ["NoUTF8EscapingWithSuffixes", "UnderscoreEscapingWithSuffixes", "NoTranslation", "UnderscoreEscapingWithoutSuffixes"]))]
    TranslationStrategy
}

/// How metrics received over OTLP are turned into series.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct OtlpConfig {
    /// Turn every resource attribute into a label, except the ignored ones.
    pub promote_all_resource_attributes: Option<bool>,
    /// Resource attributes left out when all of them are turned into labels.
    #[schemars(length(min = 1), inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub ignore_resource_attributes: Vec<String>,
    /// Resource attributes that are turned into labels.
    #[schemars(length(min = 1), inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub promote_resource_attributes: Vec<String>,
    /// How names are changed: whether characters are escaped and suffixes added.
    pub translation_strategy: Option<TranslationStrategy>,
    /// Keep the service name, namespace and instance ID attributes on `target_info` too.
    pub keep_identifying_resource_attributes: Option<bool>,
    /// Store explicit bucket histograms as native histograms with custom buckets.
    #[serde(rename = "convertHistogramsToNHCB")]
    pub convert_histograms_to_nhcb: Option<bool>,
    /// Turn the name, version and attributes of the scope into labels.
    pub promote_scope_metadata: Option<bool>,
    /// Make a label name that starts with one underscore start with `key_`.
    pub label_name_underscore_sanitization: Option<bool>,
    /// Keep several underscores in a row in label names instead of joining them to one.
    pub label_name_preserve_multiple_underscores: Option<bool>,
}
