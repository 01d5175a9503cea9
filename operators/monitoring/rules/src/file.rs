//! The text of a rule file. Fields that the version does not support are left out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use api_monitoring::PrometheusRule;
use api_monitoring::prometheus_rule::{PrometheusRuleSpec, Rule, RuleGroup};
use formats::version::Version;
use formats::yaml::{self, Map, Value};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::check::{self, CheckSettings, FileProblem};
use crate::json::{NotWritable, passed, passed_key};
use crate::names::Names;

/// The program that reads the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleFormat {
    /// Prometheus.
    #[default]
    Prometheus,
    /// Thanos Ruler.
    Thanos,
}

/// The reader of a rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleReader {
    /// The program.
    pub format: RuleFormat,
    /// Its version.
    pub version: Version,
    /// Which experimental features of the query language its flags allow.
    pub options: promql::Options,
}

/// Which fields are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) limit: bool,
    pub(crate) query_offset: bool,
    pub(crate) group_labels: bool,
    pub(crate) keep_firing_for: bool,
    /// `partial_response_strategy`, which only Thanos supports.
    pub(crate) strategy: bool,
    pub(crate) empty_durations: bool,
}

impl Fields {
    /// The fields that are checked. The check is that of Prometheus, which does not support the field of Thanos.
    pub(crate) const CHECKED: Self = Self {
        limit: true,
        query_offset: true,
        group_labels: true,
        keep_firing_for: true,
        strategy: false,
        empty_durations: false,
    };

    /// The fields that a version supports.
    fn of(format: RuleFormat, version: &Version) -> Self {
        let since = |prometheus: (u64, u64), thanos: (u64, u64)| {
            let (major, minor) = match format {
                RuleFormat::Prometheus => prometheus,
                RuleFormat::Thanos => thanos,
            };
            *version >= Version::new(major, minor, 0)
        };
        Self {
            limit: since((2, 31), (0, 24)),
            query_offset: since((2, 53), (0, 38)),
            group_labels: since((3, 0), (0, 39)),
            keep_firing_for: since((2, 42), (0, 34)),
            strategy: format == RuleFormat::Thanos,
            empty_durations: true,
        }
    }
}

/// Why there is no rule file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleFileError {
    /// The file cannot be written.
    #[error("failed to marshal content: {0}")]
    NotWritable(#[from] NotWritable),
    /// Prometheus would reject the file.
    #[error("invalid rule")]
    Invalid(Vec<FileProblem>),
}

/// The name of the file of a rule. The UID makes it unique: `a-b` in `c` and `b` in `c-a` have the same beginning.
pub fn name(rule: &PrometheusRule) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let metadata = &rule.metadata;
    format!("{}-{}-{}.yaml", part(&metadata.namespace), part(&metadata.name), part(&metadata.uid))
}

/// Writes the file of a rule, if its reader would accept it.
pub fn write(spec: &PrometheusRuleSpec, reader: &RuleReader) -> Result<String, RuleFileError> {
    let fields = Fields::of(reader.format, &reader.version);
    let text = text(spec, fields)?;
    let checked = Fields { strategy: false, empty_durations: false, ..fields };
    let checked_text =
        if differs(spec) { Cow::Owned(self::text(spec, checked)?) } else { Cow::Borrowed(&*text) };
    let names = Names::of(reader.format, &reader.version);
    let settings = CheckSettings { fields: checked, names, options: reader.options };
    let problems = check::problems(spec, &checked_text, settings);
    if problems.is_empty() { Ok(text) } else { Err(RuleFileError::Invalid(problems)) }
}

/// Whether the text that is checked differs from the text that is written.
fn differs(spec: &PrometheusRuleSpec) -> bool {
    spec.groups.iter().any(|group| {
        !group.partial_response_strategy.is_empty()
            || group.interval.as_ref().is_some_and(|interval| interval.is_empty())
            || group.rules.iter().any(|rule| rule.for_.as_ref().is_some_and(|time| time.is_empty()))
    })
}

/// The text with these fields.
pub(crate) fn text(spec: &PrometheusRuleSpec, fields: Fields) -> Result<String, NotWritable> {
    let mut document = Map::new();
    if !spec.groups.is_empty() {
        let groups: Vec<Value> =
            spec.groups.iter().map(|spec| group(spec, fields).map(Value::Map)).collect::<Result<_, _>>()?;
        document.push("groups", groups);
    }
    Ok(yaml::write(&Value::Map(document)))
}

/// A group. Fields are in alphabetical order, as everywhere in the file.
fn group(group: &RuleGroup, fields: Fields) -> Result<Map, NotWritable> {
    let mut map = Map::new();
    if let Some(interval) = group.interval.as_ref().filter(|time| fields.empty_durations || !time.is_empty())
    {
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
        let rules: Vec<Value> =
            group.rules.iter().map(|spec| rule(spec, fields).map(Value::Map)).collect::<Result<_, _>>()?;
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

/// Labels or annotations, in natural order.
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
