//! Every reason why Prometheus would reject a rule file.

use std::collections::HashSet;

use api_monitoring::prometheus_rule::{PrometheusRuleSpec, Rule, RuleGroup};
use go_syntax::duration::prometheus::{self, InvalidPrometheusDuration};
use go_syntax::quoted::Quoted;
use go_syntax::template::InvalidTemplate;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use thiserror::Error;

use crate::file::{self, Fields};
use crate::json::{NotWritable, passed};
use crate::names::{METRIC_NAME, Names};
use crate::position::{self, Position, RulePositions};
use crate::{pack, template};

/// A reason why Prometheus would reject a rule file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FileProblem {
    /// The file cannot be written.
    #[error("failed to marshal content: {0}")]
    NotWritable(#[from] NotWritable),
    /// The file does not fit into a ConfigMap.
    #[error(
        "the length of rendered Prometheus Rule is {0} bytes which is above the maximum limit of {limit} bytes",
        limit = pack::LARGEST
    )]
    TooLarge(usize),
    /// A duration is invalid. The message of Prometheus has no position.
    #[error("{problem}")]
    Duration {
        /// The path of the field in the resource.
        field: String,
        /// What is wrong.
        problem: InvalidPrometheusDuration,
    },
    /// A group has no name.
    #[error("0:0: Groupname must not be empty")]
    GroupWithoutName,
    /// Two groups have the same name.
    #[error("0:0: groupname: \"{0}\" is repeated in the same file")]
    GroupTwice(String),
    /// A group has a label with an invalid name.
    #[error("invalid label name: {0}")]
    GroupLabel(String),
    /// A rule is invalid.
    #[error("{}group {}, rule {number}, {}: {problem}", shown(positions), Quoted(group), Quoted(name))]
    Rule {
        /// The positions in the file.
        positions: Vec<Position>,
        /// The name of its group.
        group: String,
        /// The number of the rule in its group, from one.
        number: usize,
        /// The name of the alert or of the metric.
        name: String,
        /// What is wrong.
        problem: RuleProblem,
    },
}

impl FileProblem {
    /// The message, with the field also where Prometheus does not name it.
    pub fn message(&self) -> String {
        if let Self::Duration { field, problem } = self {
            format!("{field}: {problem}")
        } else {
            self.to_string()
        }
    }
}

/// Why a rule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleProblem {
    /// It has both an alert and a metric.
    #[error("only one of 'record' and 'alert' must be set")]
    Both,
    /// It has neither.
    #[error("one of 'record' or 'alert' must be set")]
    Neither,
    /// It has no query.
    #[error("field 'expr' must be set in rule")]
    NoExpression,
    /// Its query is invalid.
    #[error("could not parse expression: {0}")]
    Expression(#[from] promql::Error),
    /// It is a recording rule with a field for alerts.
    #[error("invalid field '{0}' in recording rule")]
    OnlyForAlerts(&'static str),
    /// The name of its metric is invalid.
    #[error("invalid recording rule name: {0}")]
    MetricName(String),
    /// The name of its metric looks like a query.
    #[error("braces present in the recording rule name; should it be in expr?: {0}")]
    Braces(String),
    /// The name of a label is invalid.
    #[error("invalid label name: {0}")]
    LabelName(String),
    /// The name of an annotation is invalid.
    #[error("invalid annotation name: {0}")]
    AnnotationName(String),
    /// The value of a label or an annotation is not a valid template.
    #[error("{what} {}: {problem}", Quoted(name))]
    Template {
        /// `label` or `annotation`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What is wrong.
        problem: InvalidTemplate,
    },
}

fn shown(positions: &[Position]) -> String {
    positions.iter().flat_map(|position| [position.to_string(), ": ".to_owned()]).collect()
}

/// Every reason why Prometheus would reject these rules.
pub fn check(spec: &PrometheusRuleSpec, names: Names, options: promql::Options) -> Vec<FileProblem> {
    match file::text(spec, Fields::CHECKED) {
        Ok(text) => problems(spec, &text, CheckSettings { fields: Fields::CHECKED, names, options }),
        Err(error) => vec![error.into()],
    }
}

/// What a reader supports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckSettings {
    /// The fields that are checked.
    pub(crate) fields: Fields,
    /// Which names are allowed.
    pub(crate) names: Names,
    /// Which experimental features of the query language are allowed.
    pub(crate) options: promql::Options,
}

/// The same for a file with this text.
pub(crate) fn problems(spec: &PrometheusRuleSpec, text: &str, settings: CheckSettings) -> Vec<FileProblem> {
    if text.len() > pack::LARGEST {
        return vec![FileProblem::TooLarge(text.len())];
    }
    if let Err((field, problem)) = durations(spec, settings.fields) {
        // Prometheus reads the file twice.
        return vec![FileProblem::Duration { field, problem }; 2];
    }
    let mut checker = Checker { settings, text, positions: None, problems: Vec::new() };
    let mut known = HashSet::new();
    for (index, group) in spec.groups.iter().enumerate() {
        checker.group(index, group, &mut known);
    }
    checker.problems
}

/// The first invalid duration, in the order of the file.
fn durations(spec: &PrometheusRuleSpec, fields: Fields) -> Result<(), (String, InvalidPrometheusDuration)> {
    let check = |text: &str, field: &dyn Fn() -> String| {
        prometheus::parse(text).map(drop).map_err(|problem| (field(), problem))
    };
    for (at, group) in spec.groups.iter().enumerate() {
        if let Some(interval) = group.interval.as_ref().filter(|interval| !interval.is_empty()) {
            check(interval, &|| format!("spec.groups[{at}].interval"))?;
        }
        if let Some(offset) = group.query_offset.as_ref().filter(|_| fields.query_offset) {
            check(offset, &|| format!("spec.groups[{at}].query_offset"))?;
        }
        for (number, rule) in group.rules.iter().enumerate() {
            if let Some(time) = rule.for_.as_ref().filter(|time| !time.is_empty()) {
                check(time, &|| format!("spec.groups[{at}].rules[{number}].for"))?;
            }
            if let Some(time) = rule.keep_firing_for.as_ref().filter(|_| fields.keep_firing_for) {
                check(time, &|| format!("spec.groups[{at}].rules[{number}].keep_firing_for"))?;
            }
        }
    }
    Ok(())
}

struct Checker<'t> {
    settings: CheckSettings,
    text: &'t str,
    /// The positions of all rules, once the first is needed.
    positions: Option<Vec<Vec<RulePositions>>>,
    problems: Vec<FileProblem>,
}

/// The field of a rule that a problem is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    None,
    Expr,
    Record,
    RecordAndAlert,
}

impl Checker<'_> {
    fn group<'g>(&mut self, index: usize, group: &'g RuleGroup, known: &mut HashSet<&'g str>) {
        if group.name.is_empty() {
            self.problems.push(FileProblem::GroupWithoutName);
        }
        if !known.insert(&group.name) {
            self.problems.push(FileProblem::GroupTwice(group.name.clone()));
        }
        if self.settings.fields.group_labels {
            let names = self.settings.names;
            let wrong = group.labels.keys().filter(|label| !allow_label(names, label));
            self.problems.extend(wrong.cloned().map(FileProblem::GroupLabel));
        }
        for (number, rule) in group.rules.iter().enumerate() {
            for (field, problem) in self.rule(rule) {
                let positions = self.positions(index, number, field);
                let name = if rule.alert.is_empty() { &rule.record } else { &rule.alert };
                self.problems.push(FileProblem::Rule {
                    positions,
                    group: group.name.clone(),
                    number: number + 1,
                    name: name.clone(),
                    problem,
                });
            }
        }
    }

    /// The positions of a field of a rule.
    fn positions(&mut self, group: usize, rule: usize, field: Field) -> Vec<Position> {
        if field == Field::None {
            return Vec::new();
        }
        let text = self.text;
        let positions = self.positions.get_or_insert_with(|| position::find(text));
        let rule = positions.get(group).and_then(|rules| rules.get(rule)).copied().unwrap_or_default();
        match field {
            Field::None => Vec::new(),
            Field::Expr => vec![rule.expr],
            Field::Record => vec![rule.record],
            Field::RecordAndAlert => vec![rule.record, rule.alert],
        }
    }

    /// Why a rule is invalid, in the order of Prometheus.
    fn rule(&self, rule: &Rule) -> Vec<(Field, RuleProblem)> {
        let mut problems = Vec::new();
        match (rule.record.is_empty(), rule.alert.is_empty()) {
            (false, false) => problems.push((Field::RecordAndAlert, RuleProblem::Both)),
            (true, true) => problems.push((Field::RecordAndAlert, RuleProblem::Neither)),
            (true, false) | (false, true) => {}
        }
        if let Some(problem) = self.expression(&rule.expr) {
            problems.push((Field::Expr, problem));
        }
        if !rule.record.is_empty() {
            problems.extend(self.record(rule).into_iter().map(|problem| (Field::Record, problem)));
        }
        for label in rule.labels.keys().filter(|label| !allow_label(self.settings.names, label)) {
            problems.push((Field::None, RuleProblem::LabelName(label.clone())));
        }
        for name in rule.annotations.keys().filter(|name| !self.settings.names.allow_label(name)) {
            problems.push((Field::None, RuleProblem::AnnotationName(name.clone())));
        }
        if !rule.alert.is_empty() {
            problems.extend(templates(rule).into_iter().map(|problem| (Field::None, problem)));
        }
        problems
    }

    fn expression(&self, expression: &IntOrString) -> Option<RuleProblem> {
        let query = match expression {
            IntOrString::Int(number) => number.to_string().into(),
            IntOrString::String(text) if text.is_empty() => return Some(RuleProblem::NoExpression),
            IntOrString::String(text) => passed(text).unwrap_or_default(),
        };
        promql::parse(&query, self.settings.options).err().map(RuleProblem::from)
    }

    /// Why a recording rule is invalid.
    fn record(&self, rule: &Rule) -> Vec<RuleProblem> {
        let lasts =
            |time: Option<&str>| time.is_some_and(|time| prometheus::parse(time).is_ok_and(|time| time != 0));
        let keeps = rule.keep_firing_for.as_deref().filter(|_| self.settings.fields.keep_firing_for);
        let mut problems: Vec<RuleProblem> = [
            ("annotations", !rule.annotations.is_empty()),
            ("for", lasts(rule.for_.as_deref())),
            ("keep_firing_for", lasts(keeps)),
        ]
        .into_iter()
        .filter(|(_, set)| *set)
        .map(|(field, _)| RuleProblem::OnlyForAlerts(field))
        .collect();
        if !self.settings.names.allow_metric(&rule.record) {
            problems.push(RuleProblem::MetricName(rule.record.clone()));
        }
        if rule.record.contains(['{', '}']) {
            problems.push(RuleProblem::Braces(rule.record.clone()));
        }
        problems
    }
}

/// Whether results can have a label with this name.
fn allow_label(names: Names, name: &str) -> bool {
    names.allow_label(name) && name != METRIC_NAME
}

/// The invalid templates in labels and annotations of an alert.
fn templates(rule: &Rule) -> Vec<RuleProblem> {
    let labels = rule.labels.iter().map(|(name, text)| ("label", name, text));
    let annotations = rule.annotations.iter().map(|(name, text)| ("annotation", name, text));
    labels
        .chain(annotations)
        .filter_map(|(what, name, text)| {
            let text = passed(text).unwrap_or_default();
            let problem = template::check(&rule.alert, &text).err()?;
            Some(RuleProblem::Template { what, name: name.clone(), problem })
        })
        .collect()
}
