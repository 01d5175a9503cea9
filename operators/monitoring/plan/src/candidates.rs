//! Which resources a workload asks for. What is not among them is so for a reason: [`Asking`] tells it.

use std::sync::Arc;

use kernel::object::Object;
use monitoring_select::asking::{Asking, Candidate, Namespaces};

/// Those of the candidates that a workload asks for.
pub fn asked_for<'c>(
    asking: &Asking<'_>,
    known: &Namespaces,
    candidates: &'c [Arc<Object>],
) -> Vec<&'c Arc<Object>> {
    let among = asking.among(known);
    candidates.iter().filter(|object| among.asks_for(candidate(object))).collect()
}

/// A resource as it is chosen by.
pub fn candidate(object: &Object) -> Candidate<'_> {
    Candidate { namespace: &object.key().namespace, name: &object.key().name, labels: Some(object.labels()) }
}
