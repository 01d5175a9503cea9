//! What a kind lists to join: scenarios, each a list of changes to resources. Data; the rest of the crate is generic.

use kernel::declare::Declaration;
use mainstay::products::Running;
use serde_json::Value;

use crate::difference::Difference;
use crate::state::{Name, State};

/// What is done to resources.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// These objects are created, of whatever kinds.
    Create(Vec<Value>),
    /// The resource is merged with this.
    Patch(Value),
    /// The resource is deleted.
    Delete,
    /// Other objects are changed, in this order.
    Edit(Vec<Edit>),
}

/// A change of an object that is not the resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// As in `kind:`.
    pub kind: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is merged with; nothing, if it is deleted.
    pub patch: Option<Value>,
}

/// A test of all that is there.
pub type Test = fn(&State) -> bool;

/// When a change is over.
#[derive(Debug, Clone, Copy)]
pub enum Done {
    /// The operator is silent, Kubernetes is calm, and this holds.
    Settled(Test),
    /// This holds, whatever else is under way.
    Reached(Test),
}

/// One change, and when it is over.
#[derive(Debug, Clone)]
pub struct Change {
    /// For people: `scale to 3`.
    pub name: &'static str,
    /// What is done.
    pub deed: Deed,
    /// When it is over.
    pub done: Done,
}

/// What a scenario leaves behind, and what more is done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aftermath {
    /// The resource and its children, each with its owner.
    Running,
    /// The same, with everything said: children drift, properties change one at a time.
    Whole,
    /// No resource, and no child with an owner.
    Gone,
}

/// A list of changes.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The first part of its plans' names.
    pub name: &'static str,
    /// What happens.
    pub changes: Vec<Change>,
    /// The first change that is disturbed: those before it are disturbed in another scenario.
    pub from: usize,
    /// What becomes of it when it is over.
    pub aftermath: Aftermath,
}

/// One spec property, changed and changed back.
#[derive(Debug, Clone)]
pub struct Property {
    /// Its path in the spec, with dots.
    pub path: &'static str,
    /// The patch of the spec that changes it.
    pub change: Value,
    /// The patch of the spec that takes the change back; nothing if that cannot be done.
    pub back: Option<Value>,
}

/// How much of what can go wrong does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Every error at every call, every mishap to the events of every kind during every change.
    Each,
    /// The operator is killed and loses answers at every write; errors, and mishaps to events, take turns. For kinds that
    /// share their stages with others, so that each of them still meets all.
    InTurns,
}

/// A kind under test.
pub struct Subject {
    /// As in `--kind`.
    pub name: &'static str,
    /// What its operator watches and owns.
    pub declaration: &'static Declaration,
    /// The name of its resource in every scenario.
    pub resource: &'static str,
    /// The scenarios; the first is the plainest install.
    pub scenarios: Vec<Scenario>,
    /// The properties.
    pub properties: Vec<Property>,
    /// How much of what can go wrong does.
    pub extent: Extent,
    /// Whether a resource says that something cannot be done.
    pub shows_trouble: fn(&Value) -> bool,
    /// Whether an object of a kind that the operator writes is a user's own, and stays so.
    pub brought: fn(&Name) -> bool,
    /// Differences that never matter, and why is said there.
    pub ignored: fn(&Difference<'_>) -> bool,
    /// Fields of child objects that the operator leaves to others.
    pub left_to_others: fn(&Name, &str) -> bool,
    /// Starts the operator, so that it talks to the stand-ins of instances at this address.
    pub start: fn(std::net::SocketAddr) -> Running,
}

impl Subject {
    /// Whether a scenario is the plainest one.
    pub fn is_plainest(&self, scenario: &Scenario) -> bool {
        self.scenarios.first().is_some_and(|first| first.name == scenario.name)
    }

    /// Its resource among what is there.
    pub fn resource_in<'a>(&self, state: &'a State) -> Option<&'a Value> {
        state.get(&kind_name(self.declaration.primary), self.resource)
    }
}

/// A kind, as `kubectl` takes it.
pub fn kind_name(kind: kernel::declare::Kind) -> String {
    if kind.group.is_empty() { kind.plural.into() } else { format!("{}.{}", kind.plural, kind.group) }
}
