//! What a plan writes for a workload, and what it reports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use formats::prometheus::UnsupportedField;
use k8s_openapi::api::core::v1::Secret;
use monitoring_scrape::document::PrometheusDocument;
use monitoring_select::workload::WorkloadSection;

use crate::plan::child::Child;
use crate::plan::rendered::Rendered;
use crate::web::WebConfigError;
use crate::workload::instance::Instance;
use crate::workload::operator::OperatorConfig;
use crate::workload::tls_assets;

/// The plan of a workload.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// Objects, in the order in which they are written: pods come after the objects that they mount.
    pub children: Vec<Child>,
    /// The configuration; none, if the user writes it.
    pub configuration: Option<PlannedConfiguration>,
    /// Messages for users.
    pub remarks: Vec<PlanRemark>,
}

impl Planned {
    /// A plan without objects, for a workload with these resources.
    pub(crate) fn of(rendered: &Rendered) -> Self {
        let remarks = rendered.is_empty().then_some(PlanRemark::NothingSelected);
        Self { remarks: remarks.into_iter().collect(), ..Self::default() }
    }

    /// Adds the Secrets with certificates and keys that pods mount; their names.
    pub(crate) fn put_tls_assets<S>(
        &mut self,
        instance: &Instance<'_, S>,
        operator: &OperatorConfig,
        files: BTreeMap<String, Vec<u8>>,
    ) -> Vec<String> {
        let assets = tls_assets::build(instance.owner, operator, &instance.object_name(), files);
        let names = assets.iter().filter_map(|secret| secret.metadata.name.clone()).collect();
        self.children.extend(assets.into_iter().map(Child::Secret));
        names
    }

    /// Adds a Secret with a web or cluster configuration file. Fails if the settings are invalid.
    pub(crate) fn put_web_config(
        &mut self,
        secret: Result<Secret, WebConfigError>,
        failed: &str,
    ) -> Result<(), PlanError> {
        self.children.push(Child::Secret(secret.map_err(PlanError::prefixed(failed))?));
        Ok(())
    }

    /// Adds remarks about flags that the version does not have, each once.
    pub(crate) fn put_left_out(&mut self, flags: &[UnsupportedField]) {
        let texts: BTreeSet<String> = flags.iter().map(ToString::to_string).collect();
        self.remarks.extend(texts.into_iter().map(PlanRemark::LeftOut));
    }
}

/// A configuration in pieces, so that unchanged pieces are not copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedConfiguration(pub Vec<Arc<str>>);

impl PlannedConfiguration {
    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.0.iter().map(|piece| piece.len() as u64).sum()
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.0.iter().map(|piece| &**piece).collect()
    }
}

impl From<String> for PlannedConfiguration {
    fn from(text: String) -> Self {
        Self(vec![text.into()])
    }
}

impl From<PrometheusDocument> for PlannedConfiguration {
    fn from(document: PrometheusDocument) -> Self {
        Self(document.pieces.into_iter().map(|piece| piece.text).collect())
    }
}

/// Something that users should know about a valid workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanRemark {
    /// It selects nothing.
    NothingSelected,
    /// The user writes its configuration.
    Unmanaged,
    /// It sets something that its version does not have.
    LeftOut(String),
    /// The name of a StatefulSet is too long: Kubernetes creates no pods for it.
    LongName {
        /// The name.
        name: String,
        /// The longest name that works.
        longest: usize,
    },
    /// A section is kept as it was written last, because a reference is missing.
    Kept {
        /// The section.
        section: WorkloadSection,
        /// The missing reference.
        because: String,
    },
    /// A section is left out, because a reference is missing and nothing was written before.
    Absent {
        /// The section.
        section: WorkloadSection,
        /// The missing reference.
        because: String,
    },
}

impl fmt::Display for PlanRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingSelected => f.write_str("it selects nothing"),
            Self::Unmanaged => f.write_str("it has no selectors, so the user manages its configuration"),
            Self::LeftOut(what) => f.write_str(what),
            Self::LongName { name, longest } => write!(
                f,
                "the name of StatefulSet {name} has {} characters, and Kubernetes creates no pods for names with more than \
                 {longest}: give the resource a shorter name",
                name.len()
            ),
            Self::Kept { section, because } => {
                write!(f, "{} is kept as it was written last: {because}", section.field())
            }
            Self::Absent { section, because } => write!(f, "{} is left out: {because}", section.field()),
        }
    }
}

/// Why a workload is invalid. The objects that were written before are kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlanError {
    /// The message for the user.
    pub message: String,
}

impl PlanError {
    pub(crate) fn new(error: &impl fmt::Display) -> Self {
        Self { message: error.to_string() }
    }

    /// An error with a prefix that says what failed.
    pub(crate) fn prefixed<E: fmt::Display>(failed: &str) -> impl Fn(E) -> Self {
        move |error| Self { message: format!("{failed}: {error}") }
    }
}
