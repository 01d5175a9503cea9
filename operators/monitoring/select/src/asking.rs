//! What a workload asks for of a kind: in which namespaces, with which labels. Every choice of objects is made here, and it
//! is one with its reason: whoever is not asked for is so because of an [`Unselected`].
//!
//! A workload goes through thousands of objects in each pass: nothing is allocated for an object, and namespaces are judged
//! once, not once an object.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

use crate::label_selector::{Invalid, Labelled, Selector};
use crate::unselected::Unselected;

/// Labels of an object or a namespace.
pub type Labels = BTreeMap<String, String>;

/// Labels of namespaces, by the name of the namespace.
pub type Namespaces = BTreeMap<String, Labels>;

/// Why nothing at all can be selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// The selector for namespaces is wrong.
    #[error("failed to convert namespace label selector to selector: {0}")]
    Namespaces(Invalid),
    /// The selector for objects is wrong.
    #[error(transparent)]
    Objects(Invalid),
}

/// What a workload says that it asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selectors<'s> {
    /// In which namespaces; without it, in that of the workload.
    pub namespaces: Option<&'s LabelSelector>,
    /// With which labels; without it, none.
    pub labels: Option<&'s LabelSelector>,
    /// An object beside the workload that it names, whatever its labels.
    pub named: Option<&'s str>,
}

/// An object that could be asked for.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'o> {
    /// Its namespace.
    pub namespace: &'o str,
    /// Its name.
    pub name: &'o str,
    /// Its labels.
    pub labels: Option<Labelled<'o>>,
}

/// What a workload asks for, checked.
#[derive(Debug, Clone)]
pub struct Asking<'s> {
    /// The namespace of the workload.
    own: &'s str,
    namespaces: Option<Selector<'s>>,
    labels: Option<Selector<'s>>,
    named: Option<&'s str>,
}

/// The same among namespaces that were looked at already.
#[derive(Debug)]
pub struct Among<'a> {
    asking: &'a Asking<'a>,
    /// Why nothing of a namespace is asked for; nothing, if something may be.
    places: BTreeMap<&'a str, Option<Unselected<'a>>>,
}

impl<'s> Selectors<'s> {
    /// Those for namespaces and for labels, where nothing is named.
    pub fn new(namespaces: Option<&'s LabelSelector>, labels: Option<&'s LabelSelector>) -> Self {
        Self { namespaces, labels, named: None }
    }
}

impl<'o> Candidate<'o> {
    /// An object, going by its metadata.
    pub fn of(metadata: &'o ObjectMeta) -> Self {
        Self {
            namespace: metadata.namespace.as_deref().unwrap_or_default(),
            name: metadata.name.as_deref().unwrap_or_default(),
            labels: metadata.labels.as_ref().map(Labelled::from),
        }
    }
}

impl<'s> Asking<'s> {
    /// Checks what a workload in a namespace says.
    pub fn new(own: &'s str, selectors: Selectors<'s>) -> Result<Self, SelectionError> {
        let Selectors { namespaces, labels, named } = selectors;
        let namespaces = namespaces.map(Selector::new).transpose().map_err(SelectionError::Namespaces)?;
        let labels = labels.map(Selector::new).transpose().map_err(SelectionError::Objects)?;
        Ok(Self { own, namespaces, labels, named })
    }

    /// Why an object is not asked for, with the labels of its namespace if they are known; nothing, if it is.
    pub fn why_not<'a>(
        &'a self,
        candidate: Candidate<'a>,
        namespace: Option<Labelled<'a>>,
    ) -> Option<Unselected<'a>> {
        self.decide(candidate, || self.why_not_in(candidate.namespace, namespace))
    }

    /// Why nothing of a namespace is asked for, but what is named.
    pub fn why_not_in<'a>(&'a self, name: &'a str, labels: Option<Labelled<'a>>) -> Option<Unselected<'a>> {
        match (&self.namespaces, labels) {
            (None, _) => {
                (name != self.own).then_some(Unselected::OtherNamespace { namespace: name, own: self.own })
            }
            // Who takes all need not know them.
            (Some(selector), None) => {
                (!selector.takes_all()).then_some(Unselected::UnknownNamespace { namespace: name })
            }
            (Some(selector), Some(labels)) => {
                let unmet = selector.unmet(Some(labels))?;
                Some(Unselected::NamespaceLabels { namespace: name, unmet })
            }
        }
    }

    /// Looks at all namespaces that are known.
    pub fn among<'a>(&'a self, known: &'a Namespaces) -> Among<'a> {
        let place = |(name, labels): (&'a String, &'a Labels)| {
            (name.as_str(), self.why_not_in(name.as_str(), Some(labels.into())))
        };
        let places = match self.namespaces {
            // It need not be known.
            None => BTreeMap::from([(self.own, None)]),
            Some(_) => known.iter().map(place).collect(),
        };
        Among { asking: self, places }
    }

    fn decide<'a>(
        &'a self,
        candidate: Candidate<'a>,
        why_not_there: impl FnOnce() -> Option<Unselected<'a>>,
    ) -> Option<Unselected<'a>> {
        if self.named == Some(candidate.name) && self.own == candidate.namespace {
            return None;
        }
        let Some(labels) = &self.labels else { return Some(Unselected::NoSelector) };
        why_not_there().or_else(|| labels.unmet(candidate.labels).map(Unselected::Labels))
    }
}

impl<'a> Among<'a> {
    /// The namespaces of which something may be asked for.
    pub fn places(&self) -> impl Iterator<Item = &'a str> {
        self.places.iter().filter(|(_, why_not)| why_not.is_none()).map(|(name, _)| *name)
    }

    /// Why an object is not asked for; nothing, if it is.
    pub fn why_not(&'a self, candidate: Candidate<'a>) -> Option<Unselected<'a>> {
        self.asking.decide(candidate, || match self.places.get(candidate.namespace) {
            Some(verdict) => *verdict,
            None => self.asking.why_not_in(candidate.namespace, None),
        })
    }

    /// Whether an object is asked for.
    pub fn asks_for(&self, candidate: Candidate<'_>) -> bool {
        self.why_not(candidate).is_none()
    }
}
