//! Which resources a workload asks for: in which namespaces, with which labels.

use std::sync::Arc;

use kernel::object::Object;
use monitoring_select::Namespaces;
use monitoring_select::label_selector::Selector;
use monitoring_select::selection::{SelectionError, Selectors, namespaces};

/// Those of the candidates that a workload in a namespace asks for.
pub fn asked_for<'c>(
    namespace: &str,
    selectors: Selectors<'_>,
    known: &Namespaces,
    candidates: &'c [Arc<Object>],
) -> Result<Vec<&'c Arc<Object>>, SelectionError> {
    let labels = Selector::new(selectors.labels).map_err(SelectionError::Objects)?;
    let namespaces = namespaces(namespace, selectors.namespaces, known)?;
    let asked_for = |object: &&Arc<Object>| {
        namespaces.contains(&*object.key().namespace) && labels.matches(Some(object.labels()))
    };
    Ok(candidates.iter().filter(asked_for).collect())
}
