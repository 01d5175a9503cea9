//! Renders the objects that an operator would apply for resources in files, without a cluster.
//!
//! | file | owns |
//! |---|---|
//! | `document` | reading files |
//! | `schema` | defaults and validation of the API server |

mod document;
mod schema;

use serde_json::Value;

pub use document::{InputDocument, read_all, read_text};
pub use schema::{Findings, Schemas};

/// The output of a product.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RenderOutput {
    /// Objects as a YAML stream.
    pub text: String,
    /// Configurations, by the `kind/namespace/name` of their workloads.
    pub configurations: Vec<(String, String)>,
    /// Warnings for the user.
    pub notes: Vec<String>,
    /// What could not be rendered. Everything else was.
    pub failures: Vec<String>,
}

impl RenderOutput {
    /// Adds an object to the stream.
    pub fn add(&mut self, object: &Value) {
        match serde_saphyr::to_string(object) {
            Ok(text) => {
                self.text.push_str("---\n");
                self.text.push_str(&text);
            }
            Err(error) => self.failures.push(format!("an object cannot be written: {error}")),
        }
    }

    /// Adds what another product renders.
    pub fn extend(&mut self, other: Self) {
        self.text.push_str(&other.text);
        self.configurations.extend(other.configurations);
        self.notes.extend(other.notes);
        self.failures.extend(other.failures);
    }
}
