//! Which lines of a configuration are whose. The text is one that was written here or by the peer, so its form is known:
//! sections begin a line, and what an object adds to one is an entry of a list with its name in it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::loaded::subject::Subject;

/// Fields that tell whose an entry is.
const NAMES: [&str; 3] = ["job_name", "name", "receiver"];

/// A configuration, and what of it is whose.
#[derive(Debug, Clone, Default)]
pub struct Parts<'a> {
    /// The objects that it is made of.
    pub objects: BTreeSet<Subject>,
    /// The rule files of those that have one, by their names.
    pub files: BTreeMap<String, Subject>,
    text: &'a str,
    /// Bytes, in their order; between them is what is the workload's own.
    ranges: Vec<(Range<usize>, Subject)>,
}

impl<'a> Parts<'a> {
    /// Finds out, for a `text` that was made from these objects, and from those that have files of rules.
    pub fn read(text: &'a str, objects: BTreeSet<Subject>, files: BTreeMap<String, Subject>) -> Self {
        let mut parts = Self { objects, files, text, ranges: Vec::new() };
        let mut section = "";
        let mut open: Option<(usize, usize)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let indent = line.len() - content.len();
            let is_entry = content.starts_with("- ") && indent == depth(section);
            let is_text = content.trim_end().is_empty();
            // Only a line that stands as far left as the entry ends it.
            if let Some((begin, within)) = open
                && !is_text
                && (is_entry || indent < within || (indent == within && !content.starts_with("- ")))
            {
                parts.close(begin..at);
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
            parts.close(begin..at);
        }
        parts
    }

    /// An entry is somebody's if one of its names is.
    fn close(&mut self, range: Range<usize>) {
        let names = self.text[range.clone()].lines().filter_map(name);
        if let Some(subject) = names.filter_map(Subject::of_name).find(|it| self.objects.contains(it)) {
            self.ranges.push((range, subject));
        }
    }

    /// Whose a line is, counted from one: nobody's, if it is the workload's own.
    pub fn at_line(&self, line: usize) -> Option<&Subject> {
        let before = line.checked_sub(1)?;
        let lengths = self.text.split_inclusive('\n').take(before).map(str::len);
        self.at_byte(lengths.sum())
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// Whose the places are where something stands.
    pub fn holding(&self, needle: &str) -> BTreeSet<Option<&Subject>> {
        self.text.match_indices(needle).map(|(at, _)| self.at_byte(at)).collect()
    }

    fn at_byte(&self, at: usize) -> Option<&Subject> {
        let next = self.ranges.partition_point(|(range, _)| range.start <= at);
        let (range, subject) = self.ranges.get(next.checked_sub(1)?)?;
        range.contains(&at).then_some(subject)
    }
}

/// How far the entries of a section are from the left: routes are within the one that holds all.
fn depth(section: &str) -> usize {
    if section == "route" { 2 } else { 0 }
}

/// The name in a line that has one, without marks.
fn name(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '-']);
    let (key, value) = line.split_once(": ")?;
    NAMES.contains(&key).then(|| value.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use monitoring_select::SelectableKind;

    fn owners(text: &str, objects: &[Subject]) -> Vec<Option<String>> {
        let parts = Parts::read(text, objects.iter().cloned().collect(), BTreeMap::new());
        (1..=parts.lines()).map(|line| parts.at_line(line).map(ToString::to_string)).collect()
    }

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| (!text.is_empty()).then(|| (*text).to_owned())).collect()
    }

    #[test]
    fn jobs_are_whose_name_they_have() {
        let text = "global:\n  a: 1\nscrape_configs:\n- job_name: serviceMonitor/team/a/0\n  b: |\n\n    - job_name: x\n\
                    - job_name: \"podMonitor/team/a/0\"\n  relabel_configs:\n  - name: serviceMonitor/team/a/0\n\
                    - job_name: own\n- job_name: probe/team/unknown\nremote_write:\n- url: x\n  name: y\n";
        let a = Subject::new(SelectableKind::ServiceMonitor, "team", "a");
        let b = Subject::new(SelectableKind::PodMonitor, "team", "a");
        let (first, second) = ("ServiceMonitor team/a", "PodMonitor team/a");
        let expected = ["", "", "", first, first, first, first, second, second, second, "", "", "", "", ""];
        assert_eq!(owners(text, &[a, b]), some(&expected));
    }

    #[test]
    fn routes_receivers_and_intervals_are_whose_name_they_have() {
        let text = "global: {}\nroute:\n  receiver: \"null\"\n  routes:\n  - receiver: team/a/pager\n    routes:\n\
                    \x20   - receiver: team/b/pager\n  - matchers:\n    - x=1\n    receiver: team/b/pager\n  group_by:\n\
                    \x20 - job\nreceivers:\n- name: \"null\"\n- name: team/a/pager\n  webhook_configs:\n  - url: u\n\
                    time_intervals:\n- name: team/b/night\n  time_intervals: []\ntemplates: []\n";
        let subject = |name| Subject::new(SelectableKind::AlertmanagerConfig, "team", name);
        let (a, b) = ("AlertmanagerConfig team/a", "AlertmanagerConfig team/b");
        let expected = ["", "", "", "", a, a, a, b, b, b, "", "", "", "", a, a, a, "", b, b, ""];
        assert_eq!(owners(text, &[subject("a"), subject("b")]), some(&expected));
    }

    #[test]
    fn lines_that_are_not_there_are_nobodys() {
        let parts = Parts::read("a: 1\n", BTreeSet::new(), BTreeMap::new());
        assert_eq!([parts.at_line(0), parts.at_line(2), parts.at_line(usize::MAX)], [None, None, None]);
    }
}
