//! The result of the last pass over a workload.

use api_monitoring::status::Condition;

/// The result of the last pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciliation {
    /// It failed.
    Failed(String),
    /// It succeeded.
    Done(Option<Remark>),
}

/// What users should know about a pass that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// Nothing is selected; the kinds that could be.
    NothingSelected(Selects),
    /// Deprecated fields are set; a message for each.
    DeprecatedFields(Vec<String>),
    /// The configuration is left to the user.
    Unmanaged,
    /// Another client changed objects of the workload; when that was noticed, and what was written back.
    DriftCorrected(String),
}

/// The reason of [`Remark::DriftCorrected`].
pub const DRIFT_CORRECTED: &str = "DriftCorrected";

/// The kinds that a workload selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selects {
    /// Those of a server.
    ForServer,
    /// Those of an agent.
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

/// The message of [`Remark::Unmanaged`].
const UNMANAGED: &str = "the operator doesn't manage the Prometheus configuration secret because neither \
     serviceMonitorSelector nor podMonitorSelector, nor probeSelector, nor scrapeConfigSelector is specified. Unmanaged \
     Prometheus configuration is deprecated, use additionalScrapeConfigs or the ScrapeConfig Custom Resource Definition \
     instead. Unmanaged Prometheus configuration can also be disabled from the operator's command-line (check './operator \
     --help').";

/// The condition `Reconciled`.
pub(crate) fn condition(reconciliation: &Reconciliation) -> Condition {
    let (status, reason, message) = match reconciliation {
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
        let condition = condition(reconciliation);
        (condition.status, condition.reason, condition.message)
    }

    fn texts(status: &str, reason: &str, message: &str) -> (String, String, String) {
        (status.into(), reason.into(), message.into())
    }

    #[test]
    fn every_end_of_a_pass_has_its_words() {
        let done = |remark| Reconciliation::Done(Some(remark));
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
