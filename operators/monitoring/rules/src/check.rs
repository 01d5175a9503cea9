//! Whether Prometheus would load a rule file, and every reason why not.

use std::collections::HashSet;

use api_monitoring::prometheus_rule::{PrometheusRuleSpec, Rule, RuleGroup};
use go_syntax::duration::prometheus::{self, Invalid as NotADuration};
use go_syntax::quoted::Quoted;
use go_syntax::template::Invalid as NotATemplate;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use thiserror::Error;

use crate::fields::Fields;
use crate::json::{NotWritable, passed};
use crate::names::{METRIC_NAME, Names};
use crate::place::{self, Place, RulePlaces};
use crate::template;
use crate::{file, pack};

/// Something that Prometheus would not load.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// The file cannot be written.
    #[error("failed to marshal content: {0}")]
    NotWritable(#[from] NotWritable),
    /// The file does not fit into a ConfigMap.
    #[error(
        "the length of rendered Prometheus Rule is {0} bytes which is above the maximum limit of {limit} bytes",
        limit = pack::LARGEST
    )]
    TooLarge(usize),
    /// A duration is none. Prometheus does not say where it stands.
    #[error("{problem}")]
    Duration {
        /// The field, as users know it.
        field: String,
        /// What is wrong.
        problem: NotADuration,
    },
    /// A group has no name. Where it stands nobody knows.
    #[error("0:0: Groupname must not be empty")]
    GroupWithoutName,
    /// Two groups have the same name.
    #[error("0:0: groupname: \"{0}\" is repeated in the same file")]
    GroupTwice(String),
    /// A label of a group is called what no label may be called.
    #[error("invalid label name: {0}")]
    GroupLabel(String),
    /// A rule is wrong.
    #[error("{}group {}, rule {number}, {}: {problem}", shown(places), Quoted(group), Quoted(name))]
    Rule {
        /// Where in the file.
        places: Vec<Place>,
        /// The name of its group.
        group: String,
        /// Which rule of the group, from one.
        number: usize,
        /// The name of the alert or of the metric.
        name: String,
        /// What is wrong.
        problem: RuleProblem,
    },
}

impl Problem {
    /// What is wrong and where, also where Prometheus does not say it.
    pub fn words(&self) -> String {
        match self {
            Self::Duration { field, problem } => format!("{field}: {problem}"),
            Self::NotWritable(_)
            | Self::TooLarge(_)
            | Self::GroupWithoutName
            | Self::GroupTwice(_)
            | Self::GroupLabel(_)
            | Self::Rule { .. } => self.to_string(),
        }
    }
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleProblem {
    /// It makes an alert and a metric.
    #[error("only one of 'record' and 'alert' must be set")]
    Both,
    /// It makes neither.
    #[error("one of 'record' or 'alert' must be set")]
    Neither,
    /// It has no query.
    #[error("field 'expr' must be set in rule")]
    NoExpression,
    /// Its query is none.
    #[error("could not parse expression: {0}")]
    Expression(#[from] promql::Error),
    /// It makes a metric and has a field that only alerts have.
    #[error("invalid field '{0}' in recording rule")]
    OnlyForAlerts(&'static str),
    /// Its metric is called what no metric may be called.
    #[error("invalid recording rule name: {0}")]
    MetricName(String),
    /// Its metric is called what looks like a query.
    #[error("braces present in the recording rule name; should it be in expr?: {0}")]
    Braces(String),
    /// A label is called what no label may be called.
    #[error("invalid label name: {0}")]
    LabelName(String),
    /// An annotation is called what no label may be called.
    #[error("invalid annotation name: {0}")]
    AnnotationName(String),
    /// The text of a label or an annotation is wrong.
    #[error("{what} {}: {problem}", Quoted(name))]
    Template {
        /// `label` or `annotation`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What is wrong.
        problem: NotATemplate,
    },
}

fn shown(places: &[Place]) -> String {
    let mut shown = String::new();
    for place in places {
        shown.push_str(&place.to_string());
        shown.push_str(": ");
    }
    shown
}

/// Every reason why Prometheus would not load these rules.
pub fn check(spec: &PrometheusRuleSpec, names: Names, options: promql::Options) -> Vec<Problem> {
    problems(spec, (Fields::CHECKED, None), names, options)
}

/// The same for some of the fields. The text may be known already.
pub(crate) fn problems(
    spec: &PrometheusRuleSpec,
    (fields, text): (Fields, Option<&str>),
    names: Names,
    options: promql::Options,
) -> Vec<Problem> {
    let written;
    let text = match text {
        Some(text) => text,
        None => match file::text(spec, fields) {
            Ok(text) => {
                written = text;
                &written
            }
            Err(error) => return vec![error.into()],
        },
    };
    if text.len() > pack::LARGEST {
        return vec![Problem::TooLarge(text.len())];
    }
    if let Err((field, problem)) = durations(spec, fields) {
        // The file is read twice.
        return vec![Problem::Duration { field, problem }; 2];
    }
    let mut checker = Checker { names, options, fields, text, places: None, problems: Vec::new() };
    let mut known = HashSet::new();
    for (index, group) in spec.groups.iter().enumerate() {
        checker.group(index, group, &mut known);
    }
    checker.problems
}

/// The first duration that is none, in the order of the file.
fn durations(spec: &PrometheusRuleSpec, fields: Fields) -> Result<(), (String, NotADuration)> {
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
    names: Names,
    options: promql::Options,
    fields: Fields,
    text: &'t str,
    /// Where rules stand, once somebody asked.
    places: Option<Vec<Vec<RulePlaces>>>,
    problems: Vec<Problem>,
}

/// Which field of a rule a problem is about.
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
            self.problems.push(Problem::GroupWithoutName);
        }
        if !known.insert(&group.name) {
            self.problems.push(Problem::GroupTwice(group.name.clone()));
        }
        if self.fields.group_labels {
            let names = self.names;
            let wrong = group.labels.keys().filter(|label| !allow_label(names, label));
            self.problems.extend(wrong.cloned().map(Problem::GroupLabel));
        }
        for (number, rule) in group.rules.iter().enumerate() {
            for (field, problem) in self.rule(rule) {
                let places = self.places(index, number, field);
                let name = if rule.alert.is_empty() { &rule.record } else { &rule.alert };
                self.problems.push(Problem::Rule {
                    places,
                    group: group.name.clone(),
                    number: number + 1,
                    name: name.clone(),
                    problem,
                });
            }
        }
    }

    /// Where a field of a rule stands.
    fn places(&mut self, group: usize, rule: usize, field: Field) -> Vec<Place> {
        if field == Field::None {
            return Vec::new();
        }
        let text = self.text;
        let places = self.places.get_or_insert_with(|| place::find(text));
        let rule = places.get(group).and_then(|rules| rules.get(rule)).copied().unwrap_or_default();
        match field {
            Field::None => Vec::new(),
            Field::Expr => vec![rule.expr],
            Field::Record => vec![rule.record],
            Field::RecordAndAlert => vec![rule.record, rule.alert],
        }
    }

    /// What is wrong with a rule, in the order in which Prometheus says it.
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
        for label in rule.labels.keys().filter(|label| !allow_label(self.names, label)) {
            problems.push((Field::None, RuleProblem::LabelName(label.clone())));
        }
        for name in rule.annotations.keys().filter(|name| !self.names.allow_label(name)) {
            problems.push((Field::None, RuleProblem::AnnotationName(name.clone())));
        }
        if !rule.alert.is_empty() {
            problems.extend(templates(rule).into_iter().map(|problem| (Field::None, problem)));
        }
        problems
    }

    fn expression(&self, expression: &IntOrString) -> Option<RuleProblem> {
        match expression {
            IntOrString::Int(number) => {
                promql::parse(&number.to_string(), self.options).err().map(RuleProblem::from)
            }
            IntOrString::String(text) if text.is_empty() => Some(RuleProblem::NoExpression),
            IntOrString::String(text) => {
                let text = passed(text).unwrap_or_default();
                promql::parse(&text, self.options).err().map(RuleProblem::from)
            }
        }
    }

    /// What is wrong with a rule that makes a metric.
    fn record(&self, rule: &Rule) -> Vec<RuleProblem> {
        let lasts =
            |time: Option<&str>| time.is_some_and(|time| prometheus::parse(time).is_ok_and(|time| time != 0));
        let keeps = rule.keep_firing_for.as_deref().filter(|_| self.fields.keep_firing_for);
        let mut problems: Vec<RuleProblem> = [
            ("annotations", !rule.annotations.is_empty()),
            ("for", lasts(rule.for_.as_deref())),
            ("keep_firing_for", lasts(keeps)),
        ]
        .into_iter()
        .filter(|(_, set)| *set)
        .map(|(field, _)| RuleProblem::OnlyForAlerts(field))
        .collect();
        if !self.names.allow_metric(&rule.record) {
            problems.push(RuleProblem::MetricName(rule.record.clone()));
        }
        if rule.record.contains(['{', '}']) {
            problems.push(RuleProblem::Braces(rule.record.clone()));
        }
        problems
    }
}

/// Whether results may get a label of that name.
fn allow_label(names: Names, name: &str) -> bool {
    names.allow_label(name) && name != METRIC_NAME
}

/// What is wrong with the texts of labels and annotations of an alert.
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
