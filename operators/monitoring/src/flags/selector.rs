//! Selectors as text. The API server applies them; the flags only check that it accepts them.

use monitoring_select::{field_selector, label_selector};

use crate::flags::value::{FlagValue, RejectedValue};

/// A label selector, such as `a=b,c in (d,e)`. An empty one selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelSelector(String);

/// A field selector, such as `type!=Opaque`. An empty one selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSelector(String);

impl LabelSelector {
    /// The selector as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FieldSelector {
    /// The selector as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FlagValue for LabelSelector {
    fn form(&self) -> String {
        "SELECTOR".to_owned()
    }

    fn show(&self) -> String {
        self.0.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        label_selector::text::check(text).map_err(|problem| RejectedValue::parse(&problem))?;
        text.clone_into(&mut self.0);
        Ok(())
    }
}

impl FlagValue for FieldSelector {
    fn form(&self) -> String {
        "SELECTOR".to_owned()
    }

    fn show(&self) -> String {
        self.0.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        field_selector::check(text).map_err(|problem| RejectedValue::parse(&problem))?;
        text.clone_into(&mut self.0);
        Ok(())
    }
}
