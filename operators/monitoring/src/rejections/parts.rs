//! Which lines of a configuration come from which resource. Mainstay or the Prometheus Operator wrote the text, so its form
//! is known: a section starts at the beginning of a line, and a resource adds entries that contain its name to a list.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::rejections::resource::ResourceRef;

/// Fields that name the resource of an entry.
const NAME_FIELDS: [&str; 3] = ["job_name", "name", "receiver"];

/// A configuration, and the parts of it that come from resources.
#[derive(Debug, Clone, Default)]
pub struct Parts<'a> {
    /// The resources that the configuration was made from.
    pub resources: BTreeSet<ResourceRef>,
    /// The resources that have a rule file, by the name of the file.
    pub rule_files: BTreeMap<String, ResourceRef>,
    text: &'a str,
    /// Byte ranges in their order. What is between them comes from the workload itself.
    ranges: Vec<(Range<usize>, ResourceRef)>,
}

impl<'a> Parts<'a> {
    /// Reads a `text` that was made from these resources.
    pub fn read(
        text: &'a str,
        resources: BTreeSet<ResourceRef>,
        rule_files: BTreeMap<String, ResourceRef>,
    ) -> Self {
        let mut parts = Self { resources, rule_files, text, ranges: Vec::new() };
        let mut section = "";
        let mut open: Option<(usize, usize)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let indent = line.len() - content.len();
            let is_entry = content.starts_with("- ") && indent == entry_indent(section);
            let is_empty = content.trim_end().is_empty();
            // Only a line that is indented no further than the entry ends it.
            if let Some((begin, within)) = open
                && !is_empty
                && (is_entry || indent < within || (indent == within && !content.starts_with("- ")))
            {
                parts.add(begin..at);
                open = None;
            }
            if indent == 0 && content.starts_with(|letter: char| letter.is_ascii_lowercase()) {
                section = content.split(':').next().unwrap_or_default();
            }
            if is_entry {
                open = Some((at, indent));
            }
            at += line.len();
        }
        if let Some((begin, _)) = open {
            parts.add(begin..at);
        }
        parts
    }

    /// Adds an entry if it contains the name of a resource.
    fn add(&mut self, range: Range<usize>) {
        let names = self.text[range.clone()].lines().filter_map(name);
        let mut resources = names.filter_map(ResourceRef::of_configuration_name);
        if let Some(resource) = resources.find(|resource| self.resources.contains(resource)) {
            self.ranges.push((range, resource));
        }
    }

    /// The resource that a line, counted from one, comes from; none, if it comes from the workload itself.
    pub fn at_line(&self, line: usize) -> Option<&ResourceRef> {
        let before = line.checked_sub(1)?;
        let lengths = self.text.split_inclusive('\n').take(before).map(str::len);
        self.at_byte(lengths.sum())
    }

    /// The number of lines.
    pub fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// The resources whose parts contain a text; none stands for the workload itself.
    pub fn containing(&self, text: &str) -> BTreeSet<Option<&ResourceRef>> {
        self.text.match_indices(text).map(|(at, _)| self.at_byte(at)).collect()
    }

    fn at_byte(&self, at: usize) -> Option<&ResourceRef> {
        let next = self.ranges.partition_point(|(range, _)| range.start <= at);
        let (range, resource) = self.ranges.get(next.checked_sub(1)?)?;
        range.contains(&at).then_some(resource)
    }
}

/// The indentation of the entries of a section: routes are below the root route.
fn entry_indent(section: &str) -> usize {
    if section == "route" { 2 } else { 0 }
}

/// The name in a line, without quotation marks.
fn name(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '-']);
    let (key, value) = line.split_once(": ")?;
    NAME_FIELDS.contains(&key).then(|| value.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use monitoring_select::SelectableKind;

    fn owners(text: &str, objects: &[ResourceRef]) -> Vec<Option<String>> {
        let parts = Parts::read(text, objects.iter().cloned().collect(), BTreeMap::new());
        (1..=parts.lines()).map(|line| parts.at_line(line).map(ToString::to_string)).collect()
    }

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| (!text.is_empty()).then(|| (*text).to_owned())).collect()
    }

    #[test]
    fn jobs_belong_to_the_resource_in_their_name() {
        let text = "global:\n  a: 1\nscrape_configs:\n- job_name: serviceMonitor/team/a/0\n  b: |\n\n    - job_name: x\n\
                    - job_name: \"podMonitor/team/a/0\"\n  relabel_configs:\n  - name: serviceMonitor/team/a/0\n\
                    - job_name: own\n- job_name: probe/team/unknown\nremote_write:\n- url: x\n  name: y\n";
        let a = ResourceRef::new(SelectableKind::ServiceMonitor, "team", "a");
        let b = ResourceRef::new(SelectableKind::PodMonitor, "team", "a");
        let (first, second) = ("ServiceMonitor team/a", "PodMonitor team/a");
        let expected = ["", "", "", first, first, first, first, second, second, second, "", "", "", "", ""];
        assert_eq!(owners(text, &[a, b]), some(&expected));
    }

    #[test]
    fn routes_receivers_and_intervals_belong_to_the_resource_in_their_name() {
        let text = "global: {}\nroute:\n  receiver: \"null\"\n  routes:\n  - receiver: team/a/pager\n    routes:\n\
                    \x20   - receiver: team/b/pager\n  - matchers:\n    - x=1\n    receiver: team/b/pager\n  group_by:\n\
                    \x20 - job\nreceivers:\n- name: \"null\"\n- name: team/a/pager\n  webhook_configs:\n  - url: u\n\
                    time_intervals:\n- name: team/b/night\n  time_intervals: []\ntemplates: []\n";
        let resource = |name| ResourceRef::new(SelectableKind::AlertmanagerConfig, "team", name);
        let (a, b) = ("AlertmanagerConfig team/a", "AlertmanagerConfig team/b");
        let expected = ["", "", "", "", a, a, a, b, b, b, "", "", "", "", a, a, a, "", b, b, ""];
        assert_eq!(owners(text, &[resource("a"), resource("b")]), some(&expected));
    }

    #[test]
    fn missing_lines_belong_to_no_resource() {
        let parts = Parts::read("a: 1\n", BTreeSet::new(), BTreeMap::new());
        assert_eq!([parts.at_line(0), parts.at_line(2), parts.at_line(usize::MAX)], [None, None, None]);
    }
}
