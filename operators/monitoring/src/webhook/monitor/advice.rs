//! What to do about a problem.

use monitoring_select::{Problem, duration, relabel};

/// A sentence without its end.
pub(super) fn on(problem: &Problem) -> &'static str {
    match problem {
        Problem::Within { problem, .. } => on(problem),
        Problem::Missing(_) | Problem::NotThere(_) => "Give the name of the object and the key in it",
        Problem::NoNamespace => "Put the object into a namespace",
        Problem::Url(_) => "Write a whole address, such as http://host:80/path",
        Problem::Duration(duration::Invalid::Order { .. }) => "Let the timeout be at most the interval",
        Problem::Duration(_) => "Write a duration, such as 30s or 1m30s",
        Problem::Relabel(problem) => on_relabeling(problem),
        Problem::LabelSelector(_) => "Correct the label selector",
        Problem::FieldSelector(_) => "Correct the field selector",
        Problem::Certificate(_) | Problem::Text(_) | Problem::Rule(_) => {
            "Correct it: no Prometheus can take the object in as it is"
        }
    }
}

fn on_relabeling(problem: &relabel::Invalid) -> &'static str {
    match problem {
        relabel::Invalid::Action { .. } => "Take another action",
        relabel::Invalid::Regex { .. } => "Write a regular expression in the syntax of RE2",
        relabel::Invalid::Modulus => "Set modulus to a number above 0",
        relabel::Invalid::NoTarget { .. } => "Set targetLabel",
        relabel::Invalid::Target { .. } => "Give targetLabel the name of a label",
        relabel::Invalid::Replacement { .. } => "Let the replacement be the name of a label",
        relabel::Invalid::NotReplacing { .. } => "Remove replacement",
        relabel::Invalid::OnlyLabels { .. } => "Remove everything but sourceLabels and targetLabel",
        relabel::Invalid::OnlyRegex { .. } => "Remove everything but regex",
    }
}
