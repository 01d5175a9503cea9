//! Label selectors: as relabeling steps, and as the text that the API server parses.

use formats::yaml::{Map, Value};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use crate::relabel::{drop, keep, label_name};

/// Steps that keep the objects (`service`, `pod`, `ingress`) that a selector selects.
pub(crate) fn steps(object: &'static str, selector: &LabelSelector) -> impl Iterator<Item = Map> {
    let labels = selector
        .match_labels
        .iter()
        .flatten()
        .map(move |(label, value)| keep(value_and_presence(object, label), format!("({value});true")));
    let expressions = selector.match_expressions.iter().flatten();
    labels.chain(expressions.filter_map(move |expression| step(object, expression)))
}

fn step(object: &str, expression: &LabelSelectorRequirement) -> Option<Map> {
    let label = &expression.key;
    let any = || format!("({});true", expression.values.as_deref().unwrap_or_default().join("|"));
    match expression.operator.as_str() {
        "In" => Some(keep(value_and_presence(object, label), any())),
        "NotIn" => Some(drop(value_and_presence(object, label), any())),
        "Exists" => Some(keep(vec![presence(object, &label_name(label))], "true")),
        "DoesNotExist" => Some(drop(vec![presence(object, &label_name(label))], "true")),
        _ => None,
    }
}

fn value_and_presence(object: &str, label: &str) -> Vec<Value> {
    let label = label_name(label);
    vec![format!("__meta_kubernetes_{object}_label_{label}").into(), presence(object, &label)]
}

fn presence(object: &str, label: &str) -> Value {
    format!("__meta_kubernetes_{object}_labelpresent_{label}").into()
}

/// A selector as the API server parses it, with requirements in the order of their labels.
pub(crate) fn text(selector: &LabelSelector) -> String {
    let labels = selector.match_labels.iter().flatten();
    let labels = labels.map(|(label, value)| (label.as_str(), format!("{label}={value}")));
    let expressions = selector.match_expressions.iter().flatten();
    let expressions =
        expressions.filter_map(|expression| Some((expression.key.as_str(), requirement(expression)?)));
    let mut requirements: Vec<(&str, String)> = labels.chain(expressions).collect();
    requirements.sort_by_key(|(label, _)| *label);
    requirements.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}

fn requirement(expression: &LabelSelectorRequirement) -> Option<String> {
    let label = &expression.key;
    let any = || {
        let mut values = expression.values.clone().unwrap_or_default();
        values.sort();
        values.join(",")
    };
    match expression.operator.as_str() {
        "In" => Some(format!("{label} in ({})", any())),
        "NotIn" => Some(format!("{label} notin ({})", any())),
        "Exists" => Some(label.clone()),
        "DoesNotExist" => Some(format!("!{label}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(key: &str, operator: &str, values: &[&str]) -> LabelSelectorRequirement {
        let values = values.iter().map(ToString::to_string).collect();
        LabelSelectorRequirement { key: key.into(), operator: operator.into(), values: Some(values) }
    }

    fn selector() -> LabelSelector {
        LabelSelector {
            match_labels: Some([("m".to_owned(), "1".to_owned())].into()),
            match_expressions: Some(vec![
                expression("z", "In", &["b", "a"]),
                expression("m", "NotIn", &["x"]),
                expression("a/b", "Exists", &[]),
                expression("c", "DoesNotExist", &[]),
                expression("d", "Unknown", &[]),
            ]),
        }
    }

    #[test]
    fn requirements_are_written_in_the_order_of_labels() {
        assert_eq!(text(&selector()), "a/b,!c,m=1,m notin (x),z in (a,b)");
        assert_eq!(text(&LabelSelector::default()), "");
    }

    #[test]
    fn each_requirement_is_a_step() {
        let both = |label: &str| value_and_presence("pod", label);
        assert_eq!(
            steps("pod", &selector()).collect::<Vec<_>>(),
            [
                keep(both("m"), "(1);true"),
                keep(both("z"), "(b|a);true"),
                drop(both("m"), "(x);true"),
                keep(vec!["__meta_kubernetes_pod_labelpresent_a_b".into()], "true"),
                drop(vec!["__meta_kubernetes_pod_labelpresent_c".into()], "true"),
            ]
        );
    }
}
