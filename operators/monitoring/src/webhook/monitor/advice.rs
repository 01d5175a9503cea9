//! What to do about a problem.

use monitoring_select::Problem;
use monitoring_select::duration::InvalidDuration;
use monitoring_select::relabel::InvalidRelabeling;

/// A sentence without a period.
pub(super) fn on(problem: &Problem) -> &'static str {
    match problem {
        Problem::Within { problem, .. } => on(problem),
        Problem::Missing(_) | Problem::NoAdditional(_) => "Set the name of the object and the key in it",
        Problem::NoNamespace => "Create the object in a namespace",
        Problem::Url(_) => "Use a URL such as http://host:80/path",
        Problem::Duration(InvalidDuration::Order { .. }) => {
            "Set a timeout that is not longer than the interval"
        }
        Problem::Duration(_) => "Use a duration such as 30s or 1m30s",
        Problem::Relabel(problem) => on_relabeling(problem),
        Problem::LabelSelector(_) => "Correct the label selector",
        Problem::FieldSelector(_) => "Correct the field selector",
        Problem::Certificate(_) | Problem::Text(_) | Problem::Rule(_) => {
            "Correct it: no Prometheus can use the object as it is"
        }
    }
}

fn on_relabeling(problem: &InvalidRelabeling) -> &'static str {
    match problem {
        InvalidRelabeling::Action { .. } => "Use another action",
        InvalidRelabeling::Regex { .. } => "Use a regular expression in RE2 syntax",
        InvalidRelabeling::Modulus => "Set modulus to a number greater than 0",
        InvalidRelabeling::NoTarget { .. } => "Set targetLabel",
        InvalidRelabeling::Target { .. } => "Set targetLabel to a valid label name",
        InvalidRelabeling::Replacement { .. } => "Set replacement to a valid label name",
        InvalidRelabeling::NotReplacing { .. } => "Remove replacement",
        InvalidRelabeling::OnlyLabels { .. } => "Remove all fields except sourceLabels and targetLabel",
        InvalidRelabeling::OnlyRegex { .. } => "Remove all fields except regex",
    }
}
