//! Which resources a workload asks for. What is not among them is so for a reason: [`Asking`] tells it.

use kernel::object::Object;
use kernel::stores::All;
use monitoring_select::asking::{Among, Asking, Candidate, Namespaces};

/// Everything that a workload could select of a kind, and what it asks for of that.
#[derive(Debug)]
pub struct Candidates<'c> {
    pub(crate) all: &'c All,
    among: Among<'c>,
    /// Tells two choices apart that may differ for the same resource.
    pub(crate) choice: String,
}

impl<'c> Candidates<'c> {
    /// What a workload asks for, of all that there is in the namespaces that are known.
    pub fn new(asking: &'c Asking<'c>, known: &'c Namespaces, all: &'c All) -> Self {
        let among = asking.among(known);
        let choice = format!("{:?}", (asking, among.places().collect::<Vec<_>>()));
        Self { all, among, choice }
    }

    /// Whether it asks for one of them.
    pub(crate) fn asks_for(&self, object: &Object) -> bool {
        self.among.asks_for(candidate(object))
    }
}

/// A resource as it is chosen by.
pub fn candidate(object: &Object) -> Candidate<'_> {
    let labels = Some(object.labels().into());
    Candidate { namespace: &object.key().namespace, name: &object.key().name, labels }
}
