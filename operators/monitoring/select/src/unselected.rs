//! Why a workload does not take an object. The words are made when somebody reads them, not before.

use std::fmt;

use go_syntax::quoted::Quoted;

use crate::asking::{Asking, Candidate};
use crate::label_selector::Labelled;
use crate::label_selector::Unmet;

/// Why a workload does not take an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unselected<'a> {
    /// Another operator serves the workload.
    OtherOperator {
        /// The controller id that the workload names; empty, if none.
        workload: &'a str,
        /// That of the operator; empty, if it has none.
        operator: &'a str,
    },
    /// The operator does not look into the namespace of the object.
    OutOfSight {
        /// The namespace.
        namespace: &'a str,
    },
    /// The workload has no selector for this kind.
    NoSelector,
    /// The workload has no selector for namespaces, and the object is not in its own.
    OtherNamespace {
        /// The namespace of the object.
        namespace: &'a str,
        /// That of the workload.
        own: &'a str,
    },
    /// The workload has a selector for namespaces, and nothing is known of this one.
    UnknownNamespace {
        /// The namespace.
        namespace: &'a str,
    },
    /// The labels of the namespace do not match.
    NamespaceLabels {
        /// The namespace.
        namespace: &'a str,
        /// What they do not meet.
        unmet: Unmet<'a>,
    },
    /// The labels of the object do not match.
    Labels(Unmet<'a>),
}

/// How an operator sees a workload, and the place of an object.
#[derive(Debug, Clone, Copy)]
pub struct View<'o> {
    /// The controller id of the operator; empty, if it has none.
    pub operator: &'o str,
    /// The controller id that the workload names; empty, if none.
    pub workload: &'o str,
    /// Whether it looks into the namespace of the object.
    pub is_looked_into: bool,
    /// The labels of that namespace; nothing, if they are not known.
    pub namespace: Option<Labelled<'o>>,
}

/// Why a workload does not take an object, as far as an operator can tell; nothing, if it does. The first reason counts:
/// what has to be mended first.
pub fn why_not<'a>(
    view: &View<'a>,
    asking: &'a Asking<'a>,
    candidate: Candidate<'a>,
) -> Option<Unselected<'a>> {
    let View { operator, workload, is_looked_into, namespace } = *view;
    if operator != workload {
        return Some(Unselected::OtherOperator { workload, operator });
    }
    if !is_looked_into {
        return Some(Unselected::OutOfSight { namespace: candidate.namespace });
    }
    asking.why_not(candidate, namespace)
}

impl fmt::Display for Unselected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherOperator { workload: "", operator } => {
                write!(
                    f,
                    "the workload names no operator, and this one serves those that name {}",
                    Quoted(operator)
                )
            }
            Self::OtherOperator { workload, operator: "" } => {
                write!(f, "the workload is for the operator {}, and this one has no id", Quoted(workload))
            }
            Self::OtherOperator { workload, operator } => {
                let (workload, operator) = (Quoted(workload), Quoted(operator));
                write!(f, "the workload is for the operator {workload}, and this one is {operator}")
            }
            Self::OutOfSight { namespace } => {
                write!(f, "the operator does not look into namespace {namespace}: see its flags and rights")
            }
            Self::NoSelector => {
                f.write_str("the workload has no selector for this kind, and without one it selects nothing")
            }
            Self::OtherNamespace { namespace, own } => write!(
                f,
                "it is in namespace {namespace}, and without a selector for namespaces only those in {own} are selected"
            ),
            Self::UnknownNamespace { namespace } => {
                write!(
                    f,
                    "the labels of namespace {namespace} are not known, and the workload selects by them"
                )
            }
            Self::NamespaceLabels { namespace, unmet } => {
                write!(f, "namespace {namespace} is not selected: its {unmet}")
            }
            Self::Labels(unmet) => write!(f, "its {unmet}"),
        }
    }
}

#[cfg(test)]
mod tests;
