//! What a kind defines: scenarios, each a list of changes to resources. Data; the rest of the crate is generic.

use kernel::declare::Declaration;
use mainstay::products::RunningProducts;
use serde_json::Value;

use crate::difference::Difference;
use crate::state::{Name, State};

/// What a user does to resources.
#[derive(Debug, Clone, PartialEq)]
pub enum UserAction {
    /// Creates these objects, of any kinds.
    Create(Vec<Value>),
    /// Applies this merge patch to the resource.
    Patch(Value),
    /// Deletes the resource.
    Delete,
    /// Changes other objects, in this order.
    Edit(Vec<Edit>),
}

/// A change of an object that is not the resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Its kind, as in `kind:`.
    pub kind: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The merge patch. If there is none, the object is deleted.
    pub patch: Option<Value>,
}

/// A test of all objects.
pub type Test = fn(&State) -> bool;

/// When a change is complete.
#[derive(Debug, Clone, Copy)]
pub enum Done {
    /// The operator sends no requests, Kubernetes has settled, and this test passes.
    Settled(Test),
    /// This test passes, whatever else is in progress.
    Reached(Test),
}

/// One change, and when it is complete.
#[derive(Debug, Clone)]
pub struct Change {
    /// A description, such as `scale to 3`.
    pub name: &'static str,
    /// The action.
    pub action: UserAction,
    /// When it is complete.
    pub done: Done,
}

/// What exists after a scenario, and what is tested with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndState {
    /// The resource and its child objects, each with its owner.
    Running,
    /// The same, with a complete spec: every drift of child objects and every change of a single property is tested.
    Whole,
    /// Neither the resource nor a child object with an owner.
    Gone,
}

/// A list of changes.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name: the first part of the names of its plans.
    pub name: &'static str,
    /// Its changes.
    pub changes: Vec<Change>,
    /// The first change that plans disturb: the changes before it are disturbed in another scenario.
    pub from: usize,
    /// What exists at the end.
    pub end_state: EndState,
}

/// One spec property, changed and changed back.
#[derive(Debug, Clone)]
pub struct Property {
    /// Its path in the spec, with dots.
    pub path: &'static str,
    /// The patch of the spec that changes it.
    pub change: Value,
    /// The patch of the spec that reverts the change, if that is possible.
    pub back: Option<Value>,
}

/// Which of the possible faults are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every error at every request, and every fault of the watch of every kind during every change.
    Each,
    /// A crash and a lost response at every write; errors and faults of watches take turns. For kinds that share their
    /// stages with others, so that together they still meet all.
    InTurns,
}

/// A kind under test.
pub struct Subject {
    /// Its name on the command line, as in `--kind`.
    pub name: &'static str,
    /// What its operator watches and owns.
    pub declaration: &'static Declaration,
    /// The name of its resource in every scenario.
    pub resource: &'static str,
    /// The scenarios. The first is the simplest.
    pub scenarios: Vec<Scenario>,
    /// The properties.
    pub properties: Vec<Property>,
    /// Which of the possible faults are tested.
    pub coverage: Coverage,
    /// Whether the status of a resource reports a failure.
    pub shows_trouble: fn(&Value) -> bool,
    /// Whether an object was created by a user, although the operator writes objects of its kind.
    pub is_users_own: fn(&Name) -> bool,
    /// Differences that do not matter. The function says why.
    pub ignored: fn(&Difference<'_>) -> bool,
    /// Fields of child objects that the operator leaves to others.
    pub left_to_others: fn(&Name, &str) -> bool,
    /// Configures the operator to call the stand-ins of instances at this address.
    pub start: fn(std::net::SocketAddr) -> RunningProducts,
}

impl Subject {
    /// Whether a scenario is the simplest one of its kind.
    pub fn is_simplest(&self, scenario: &Scenario) -> bool {
        self.scenarios.first().is_some_and(|first| first.name == scenario.name)
    }

    /// Its resource, if it exists.
    pub fn resource_in<'a>(&self, state: &'a State) -> Option<&'a Value> {
        state.get(&kind_name(self.declaration.primary), self.resource)
    }
}

/// The name of a kind on the command line of `kubectl`.
pub fn kind_name(kind: kernel::declare::Kind) -> String {
    if kind.group.is_empty() { kind.plural.into() } else { format!("{}.{}", kind.plural, kind.group) }
}
