//! Selectors as text. The API server applies them, so they only have to be ones that it takes.

use monitoring_select::{field_selector, label_selector};

use crate::flags::value::{Refusal, Value};

/// A selector of labels, such as `a=b,c in (d,e)`. An empty one selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelSelector(String);

impl LabelSelector {
    /// The selector as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A selector of fields, such as `type!=Opaque`. An empty one selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldSelector(String);

impl FieldSelector {
    /// The selector as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Value for LabelSelector {
    fn form(&self) -> &'static str {
        "SELECTOR"
    }

    fn show(&self) -> String {
        self.0.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        label_selector::text::check(text).map_err(|problem| Refusal::now(&problem))?;
        text.clone_into(&mut self.0);
        Ok(())
    }
}

impl Value for FieldSelector {
    fn form(&self) -> &'static str {
        "SELECTOR"
    }

    fn show(&self) -> String {
        self.0.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        field_selector::check(text).map_err(|problem| Refusal::now(&problem))?;
        text.clone_into(&mut self.0);
        Ok(())
    }
}
