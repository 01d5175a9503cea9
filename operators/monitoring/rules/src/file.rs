//! The text of a rule file for a version. What the version does not know is left out and named.

use std::collections::BTreeMap;
use std::fmt;

use api_monitoring::PrometheusRule;
use api_monitoring::prometheus_rule::{PrometheusRuleSpec, Rule, RuleGroup};
use formats::version::Version;
use formats::yaml::{self, Map, Value};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use thiserror::Error;

use crate::check::{self, Problem};
use crate::fields::Fields;
use crate::json::{NotWritable, passed, passed_key};
use crate::names::Names;

/// Who reads the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Prometheus.
    #[default]
    Prometheus,
    /// Thanos Ruler.
    Thanos,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prometheus => "Prometheus",
            Self::Thanos => "Thanos",
        })
    }
}

/// What a rule file is written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// Who reads it.
    pub format: Format,
    /// Its version.
    pub version: Version,
    /// Which parts of the query language it was told to allow.
    pub options: promql::Options,
}

/// A rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// Its text.
    pub text: String,
    /// What the reader does not know.
    pub left_out: Vec<LeftOut>,
}

/// A field that was asked for and that the reader does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The field.
    pub field: &'static str,
    /// Who does not know it.
    pub format: Format,
    /// The first version that does.
    pub since: Version,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: it needs {} {} or later", self.field, self.format, self.since)
    }
}

/// Why there is no rule file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// It cannot be written.
    #[error("failed to marshal content: {0}")]
    NotWritable(#[from] NotWritable),
    /// Prometheus would not load it.
    #[error("invalid rule")]
    Invalid(Vec<Problem>),
}

/// The name of the file of a rule. The last part keeps apart what namespaces and names do not: `a-b` in `c` and `b` in
/// `c-a`.
pub fn name(rule: &PrometheusRule) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let metadata = &rule.metadata;
    format!("{}-{}-{}.yaml", part(&metadata.namespace), part(&metadata.name), part(&metadata.uid))
}

/// Writes the file of a rule, if its reader would load it.
pub fn write(spec: &PrometheusRuleSpec, reader: &Reader) -> Result<RuleFile, Refused> {
    let fields = Fields::of(reader.format, &reader.version);
    let text = text(spec, fields)?;
    let checked = fields.checked();
    let shown = if differs(spec) { None } else { Some(&*text) };
    let names = Names::of(reader.format, &reader.version);
    let problems = check::problems(spec, (checked, shown), names, reader.options);
    if !problems.is_empty() {
        return Err(Refused::Invalid(problems));
    }
    Ok(RuleFile { text, left_out: fields.left_out(spec, reader.format) })
}

/// Whether what is checked differs from what is written.
fn differs(spec: &PrometheusRuleSpec) -> bool {
    spec.groups.iter().any(|group| {
        !group.partial_response_strategy.is_empty()
            || group.interval.as_ref().is_some_and(|interval| interval.is_empty())
            || group.rules.iter().any(|rule| rule.for_.as_ref().is_some_and(|time| time.is_empty()))
    })
}

/// The text with some of the fields.
pub(crate) fn text(spec: &PrometheusRuleSpec, fields: Fields) -> Result<String, NotWritable> {
    let mut document = Map::new();
    if !spec.groups.is_empty() {
        let groups: Vec<Value> = spec
            .groups
            .iter()
            .map(|written| group(written, fields).map(Value::Map))
            .collect::<Result<_, _>>()?;
        document.push("groups", groups);
    }
    Ok(yaml::write(&Value::Map(document)))
}

/// A group. Its fields are in the order of their names, as everywhere in the file.
fn group(group: &RuleGroup, fields: Fields) -> Result<Map, NotWritable> {
    let mut map = Map::new();
    let duration = |text: &str| fields.empty_durations || !text.is_empty();
    if let Some(interval) = group.interval.as_ref().filter(|interval| duration(interval)) {
        map.push("interval", value(interval)?);
    }
    if fields.group_labels && !group.labels.is_empty() {
        map.push("labels", texts(&group.labels)?);
    }
    if let Some(limit) = group.limit.filter(|_| fields.limit) {
        map.push("limit", limit);
    }
    map.push("name", value(&group.name)?);
    if fields.strategy && !group.partial_response_strategy.is_empty() {
        map.push("partial_response_strategy", value(&group.partial_response_strategy)?);
    }
    if let Some(offset) = group.query_offset.as_ref().filter(|_| fields.query_offset) {
        map.push("query_offset", value(offset)?);
    }
    if !group.rules.is_empty() {
        let rules: Vec<Value> = group
            .rules
            .iter()
            .map(|written| rule(written, fields).map(Value::Map))
            .collect::<Result<_, _>>()?;
        map.push("rules", rules);
    }
    Ok(map)
}

fn rule(rule: &Rule, fields: Fields) -> Result<Map, NotWritable> {
    let mut map = Map::new();
    if !rule.alert.is_empty() {
        map.push("alert", value(&rule.alert)?);
    }
    if !rule.annotations.is_empty() {
        map.push("annotations", texts(&rule.annotations)?);
    }
    match &rule.expr {
        IntOrString::Int(number) => map.push("expr", *number),
        IntOrString::String(text) => map.push("expr", value(text)?),
    }
    if let Some(time) = rule.for_.as_ref().filter(|time| fields.empty_durations || !time.is_empty()) {
        map.push("for", value(time)?);
    }
    if let Some(time) = rule.keep_firing_for.as_ref().filter(|_| fields.keep_firing_for) {
        map.push("keep_firing_for", value(time)?);
    }
    if !rule.labels.is_empty() {
        map.push("labels", texts(&rule.labels)?);
    }
    if !rule.record.is_empty() {
        map.push("record", value(&rule.record)?);
    }
    Ok(map)
}

/// Texts by key, in natural order.
fn texts(texts: &BTreeMap<String, String>) -> Result<Map, NotWritable> {
    let mut map = Map::new();
    for (key, text) in texts {
        map.push(passed_key(key)?.to_owned(), value(text)?);
    }
    yaml::sort(&mut map);
    Ok(map)
}

fn value(text: &str) -> Result<Value, NotWritable> {
    Ok(Value::from(passed(text)?.into_owned()))
}
