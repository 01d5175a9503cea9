//! Which resources of a kind a workload selects: in which namespaces, with which labels.
//!
//! A workload matches thousands of resources in each pass: nothing is allocated for a resource, and the labels of a
//! namespace are matched once, not once a resource.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::label_selector::{CheckedSelector, InvalidSelector, Labelled};

/// Labels of namespaces, by the name of the namespace.
pub type LabelsByNamespace = BTreeMap<String, BTreeMap<String, String>>;

/// Why nothing can be selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// The selector for namespaces is invalid.
    #[error("failed to convert namespace label selector to selector: {0}")]
    Namespaces(InvalidSelector),
    /// The selector for resources is invalid.
    #[error(transparent)]
    Resources(InvalidSelector),
}

/// The selectors in the spec of a workload.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selectors<'s> {
    /// The selector for namespaces; without it, only the namespace of the workload is selected.
    pub namespaces: Option<&'s LabelSelector>,
    /// The selector for labels; without it, nothing is selected.
    pub labels: Option<&'s LabelSelector>,
    /// A resource in the namespace of the workload that is selected regardless of its labels.
    pub named: Option<&'s str>,
}

/// A resource that may be selected.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'o> {
    /// Its namespace.
    pub namespace: &'o str,
    /// Its name.
    pub name: &'o str,
    /// Its labels.
    pub labels: Option<Labelled<'o>>,
}

/// Selects resources of a kind for a workload.
#[derive(Debug, Clone)]
pub struct ResourceSelector<'s> {
    /// The namespace of the workload.
    own: &'s str,
    namespaces: Option<CheckedSelector<'s>>,
    labels: Option<CheckedSelector<'s>>,
    named: Option<&'s str>,
}

/// The same with the namespaces that match.
#[derive(Debug)]
pub struct NamespacedSelector<'a> {
    selector: &'a ResourceSelector<'a>,
    namespaces: BTreeSet<&'a str>,
}

impl<'s> ResourceSelector<'s> {
    /// Checks the selectors of a workload in a namespace.
    pub fn new(own: &'s str, selectors: Selectors<'s>) -> Result<Self, SelectionError> {
        let Selectors { namespaces, labels, named } = selectors;
        let namespaces =
            namespaces.map(CheckedSelector::new).transpose().map_err(SelectionError::Namespaces)?;
        let labels = labels.map(CheckedSelector::new).transpose().map_err(SelectionError::Resources)?;
        Ok(Self { own, namespaces, labels, named })
    }

    /// Whether a resource is selected, with the labels of its namespace if they are known.
    pub fn selects(&self, candidate: Candidate<'_>, namespace: Option<Labelled<'_>>) -> bool {
        self.decide(candidate, || self.selects_namespace(candidate.namespace, namespace))
    }

    /// Whether resources of a namespace can be selected by their labels.
    pub fn selects_namespace(&self, name: &str, labels: Option<Labelled<'_>>) -> bool {
        match (&self.namespaces, labels) {
            (None, _) => name == self.own,
            // A selector that selects everything selects namespaces that are unknown.
            (Some(selector), None) => selector.selects_everything(),
            (Some(selector), Some(labels)) => selector.matches(Some(labels)),
        }
    }

    /// The same with the namespaces that match, among those that are known.
    pub fn in_namespaces(&'s self, known: &'s LabelsByNamespace) -> NamespacedSelector<'s> {
        let namespaces = match &self.namespaces {
            // The namespace of the workload matches, even if it is not among the known ones.
            None => BTreeSet::from([self.own]),
            Some(selector) => {
                let matching = known.iter().filter(|(_, labels)| selector.matches(Some((*labels).into())));
                matching.map(|(name, _)| name.as_str()).collect()
            }
        };
        NamespacedSelector { selector: self, namespaces }
    }

    fn decide(&self, candidate: Candidate<'_>, selects_namespace: impl FnOnce() -> bool) -> bool {
        if self.named == Some(candidate.name) && self.own == candidate.namespace {
            return true;
        }
        let labels = self.labels.as_ref();
        labels.is_some_and(|labels| selects_namespace() && labels.matches(candidate.labels))
    }
}

impl NamespacedSelector<'_> {
    /// The namespaces whose resources can be selected by their labels.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.namespaces.iter().copied()
    }

    /// Whether a resource is selected.
    pub fn selects(&self, candidate: Candidate<'_>) -> bool {
        self.selector.decide(candidate, || {
            self.namespaces.contains(candidate.namespace)
                || self.selector.namespaces.as_ref().is_some_and(CheckedSelector::selects_everything)
        })
    }
}

#[cfg(test)]
mod tests;
