//! The result of the last pass over a workload.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kernel::condition::stated;
use kernel::report::EventReason;

use super::ConditionType;

/// The result of the last pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciliation {
    /// It failed.
    Failed(String),
    /// It succeeded.
    Done(Option<ReconciledRemark>),
}

/// What users should know about a pass that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReconciledRemark {
    /// Nothing is selected; the kinds that could be.
    NothingSelected(Selects),
    /// Deprecated fields are set; a message for each.
    DeprecatedFields(Vec<String>),
    /// The user writes the configuration.
    Unmanaged,
    /// Another client changed objects of the workload; the message has the time and what was written back.
    DriftCorrected(String),
}

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

impl ReconciledRemark {
    fn reason(&self) -> &'static str {
        match self {
            Self::NothingSelected(_) => "NoSelectedResources",
            Self::DeprecatedFields(_) => "DeprecatedFieldsInUse",
            Self::Unmanaged => "ConfigurationUnmanaged",
            Self::DriftCorrected(_) => EventReason::DriftCorrected.as_str(),
        }
    }

    fn message(&self) -> String {
        match self {
            Self::NothingSelected(selects) => selects.message().into(),
            Self::DeprecatedFields(fields) => fields.join("; "),
            Self::Unmanaged => UNMANAGED.into(),
            Self::DriftCorrected(message) => message.clone(),
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

/// The message of [`ReconciledRemark::Unmanaged`].
const UNMANAGED: &str = "the operator doesn't manage the Prometheus configuration secret because neither \
     serviceMonitorSelector nor podMonitorSelector, nor probeSelector, nor scrapeConfigSelector is specified. Unmanaged \
     Prometheus configuration is deprecated, use additionalScrapeConfigs or the ScrapeConfig Custom Resource Definition \
     instead. Unmanaged Prometheus configuration can also be disabled from the operator's command-line (check './operator \
     --help').";

/// The condition `Reconciled`.
pub fn condition(reconciliation: &Reconciliation) -> Condition {
    let kind = ConditionType::Reconciled;
    match reconciliation {
        Reconciliation::Failed(error) => kind.failed(error),
        Reconciliation::Done(None) => stated(kind.as_str(), "True", "", ""),
        Reconciliation::Done(Some(remark)) => {
            stated(kind.as_str(), "True", remark.reason(), &remark.message())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(reconciliation: &Reconciliation) -> (String, String, String) {
        let condition = condition(reconciliation);
        (condition.status, condition.reason, condition.message)
    }

    fn texts(status: &str, reason: &str, message: &str) -> (String, String, String) {
        (status.into(), reason.into(), message.into())
    }

    #[test]
    fn each_result_has_a_reason_and_a_message() {
        let done = |remark| Reconciliation::Done(Some(remark));
        assert_eq!(
            written(&Reconciliation::Failed("no".into())),
            texts("False", "ReconciliationFailed", "no")
        );
        assert_eq!(written(&Reconciliation::Done(None)), texts("True", "", ""));
        assert_eq!(
            written(&done(ReconciledRemark::NothingSelected(Selects::Rules))),
            texts("True", "NoSelectedResources", "No PrometheusRule have been selected.")
        );
        assert_eq!(
            written(&done(ReconciledRemark::DeprecatedFields(vec!["a".into(), "b".into()]))),
            texts("True", "DeprecatedFieldsInUse", "a; b")
        );
        assert_eq!(
            written(&done(ReconciledRemark::Unmanaged)),
            texts("True", "ConfigurationUnmanaged", UNMANAGED)
        );
    }
}
