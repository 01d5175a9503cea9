//! How the last pass went, in words.

use api_monitoring::status::Condition;

/// How the last pass went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciliation {
    /// There was none since the operator started.
    Never,
    /// It did not come to its end.
    Failed(String),
    /// It came to its end.
    Done(Option<Remark>),
}

/// What users should know about a pass that went well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// Nothing was selected; the kinds that were looked for.
    NothingSelected(Selects),
    /// Fields are used that should not be; what is wrong with each.
    DeprecatedFields(Vec<String>),
    /// The configuration is left to the user.
    Unmanaged,
    /// Somebody else had changed objects of the workload; when that was noticed, and what was done about it.
    DriftCorrected(String),
}

/// The reason of [`Remark::DriftCorrected`].
pub const DRIFT_CORRECTED: &str = "DriftCorrected";

/// What a workload selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selects {
    /// What a server selects.
    ForServer,
    /// What an agent selects.
    ForAgent,
    /// Rules only.
    Rules,
}

impl Remark {
    fn reason(&self) -> &'static str {
        match self {
            Self::NothingSelected(_) => "NoSelectedResources",
            Self::DeprecatedFields(_) => "DeprecatedFieldsInUse",
            Self::Unmanaged => "ConfigurationUnmanaged",
            Self::DriftCorrected(_) => DRIFT_CORRECTED,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::NothingSelected(selects) => selects.message().into(),
            Self::DeprecatedFields(fields) => fields.join("; "),
            Self::Unmanaged => UNMANAGED.into(),
            Self::DriftCorrected(words) => words.clone(),
        }
    }
}

impl Selects {
    fn message(self) -> &'static str {
        match self {
            Self::ForServer => {
                "No ServiceMonitor, PodMonitor, Probe, ScrapeConfig, and PrometheusRule have been selected."
            }
            Self::ForAgent => "No ServiceMonitor, PodMonitor, Probe, and ScrapeConfig have been selected.",
            Self::Rules => "No PrometheusRule have been selected.",
        }
    }
}

/// Why nobody should leave the configuration unmanaged.
const UNMANAGED: &str = "the operator doesn't manage the Prometheus configuration secret because neither \
     serviceMonitorSelector nor podMonitorSelector, nor probeSelector, nor scrapeConfigSelector is specified. Unmanaged \
     Prometheus configuration is deprecated, use additionalScrapeConfigs or the ScrapeConfig Custom Resource Definition \
     instead. Unmanaged Prometheus configuration can also be disabled from the operator's command-line (check './operator \
     --help').";

/// The condition that tells how the last pass over an object went.
pub(crate) fn condition(reconciliation: &Reconciliation, key: &str) -> Condition {
    let (status, reason, message) = match reconciliation {
        Reconciliation::Never => ("Unknown", "NotFound", format!("object {key:?} not found")),
        Reconciliation::Failed(error) => ("False", "ReconciliationFailed", error.clone()),
        Reconciliation::Done(None) => ("True", "", String::new()),
        Reconciliation::Done(Some(remark)) => ("True", remark.reason(), remark.message()),
    };
    Condition {
        type_: "Reconciled".into(),
        status: status.into(),
        reason: reason.into(),
        message,
        ..Condition::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(reconciliation: &Reconciliation) -> (String, String, String) {
        let condition = condition(reconciliation, "ns/name");
        (condition.status, condition.reason, condition.message)
    }

    fn texts(status: &str, reason: &str, message: &str) -> (String, String, String) {
        (status.into(), reason.into(), message.into())
    }

    #[test]
    fn every_end_of_a_pass_has_its_words() {
        let done = |remark| Reconciliation::Done(Some(remark));
        assert_eq!(
            told(&Reconciliation::Never),
            texts("Unknown", "NotFound", "object \"ns/name\" not found")
        );
        assert_eq!(told(&Reconciliation::Failed("no".into())), texts("False", "ReconciliationFailed", "no"));
        assert_eq!(told(&Reconciliation::Done(None)), texts("True", "", ""));
        assert_eq!(
            told(&done(Remark::NothingSelected(Selects::Rules))),
            texts("True", "NoSelectedResources", "No PrometheusRule have been selected.")
        );
        assert_eq!(
            told(&done(Remark::DeprecatedFields(vec!["a".into(), "b".into()]))),
            texts("True", "DeprecatedFieldsInUse", "a; b")
        );
        assert_eq!(told(&done(Remark::Unmanaged)), texts("True", "ConfigurationUnmanaged", UNMANAGED));
    }
}
