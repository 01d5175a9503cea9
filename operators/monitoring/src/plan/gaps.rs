//! Sections that point to something that is not there stay as they were written last: a Secret that is gone for a moment
//! must not cost samples or alerts. Only if nothing was written before are they left out.

use std::io::{self, BufRead, Read as _};

use monitoring_scrape::document::{Document, is_of_a_resource};
use monitoring_select::workload::{Gap, Section};

use crate::plan::planned::Remark;

/// What comes after the jobs, in the order of the file.
const ORDER: [&str; 6] = ["storage", "alerting", "remote_write", "remote_read", "otlp", "tracing"];

/// The key of the jobs.
const JOBS: &str = "scrape_configs";

/// The keys of sections that can have gaps.
const KEPT: [&str; 3] = ["alerting", "remote_write", "remote_read"];

/// How many bytes may stay: what a resource and the Secrets that it names hold, with room to spare.
const LARGEST: usize = 8 << 20;

/// Where mounted certificates and keys are.
const CERTIFICATES: &str = "/etc/prometheus/certs/";

/// The key of a section in the file; none for jobs, which are not alone in theirs, and for what is in another file.
fn key(section: Section) -> Option<&'static str> {
    match section {
        Section::AdditionalJobs | Section::Base => None,
        Section::Alerting => Some("alerting"),
        Section::RemoteWrite => Some("remote_write"),
        Section::RemoteRead => Some("remote_read"),
    }
}

/// Whether there is a gap in a section.
pub(crate) fn has(gaps: &[Gap], section: Section) -> bool {
    gaps.iter().any(|gap| gap.section == section)
}

/// Puts sections of the file that was written last where there are gaps.
pub(crate) fn fill(document: &mut Document, gaps: &[Gap], last: Option<&str>) {
    let Some(tail) = document.pieces.last_mut() else { return };
    for key in gaps.iter().filter_map(|gap| key(gap.section)) {
        if let Some(section) = last.and_then(|last| section(last, key)) {
            tail.text = with(&tail.text, key, section).into();
        }
    }
}

/// Of the file that was written last, as much as may have to stay: sections that can have gaps, and the jobs that are no
/// resource's. The rest is read past, and the whole is bounded: somebody else may have written it.
pub fn worth_keeping(mut file: impl BufRead) -> io::Result<String> {
    let (mut kept, mut line) = (String::new(), String::new());
    let (mut in_jobs, mut keeps) = (false, false);
    loop {
        line.clear();
        if file.by_ref().take(LARGEST as u64 + 1).read_line(&mut line)? == 0 {
            return Ok(kept);
        }
        if line.starts_with(|letter: char| letter.is_ascii_lowercase()) {
            in_jobs = is(&line, JOBS);
            keeps = in_jobs || KEPT.iter().any(|key| is(&line, key));
        } else if in_jobs && line.starts_with("- ") {
            keeps = !is_of_a_resource(job_name(&line));
        }
        if line.len() > LARGEST || (keeps && kept.len() + line.len() > LARGEST) {
            let words = format!("what would have to stay of it is larger than {} MiB", LARGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
        }
        if keeps {
            kept.push_str(&line);
        }
    }
}

/// What is told about gaps.
pub(crate) fn remarks(gaps: &[Gap], last: Option<&str>) -> Vec<Remark> {
    let remark = |gap: &Gap| {
        let kept = match (key(gap.section), last) {
            (_, None) => false,
            (Some(key), Some(last)) => section(last, key).is_some(),
            (None, Some(last)) => !additional_jobs(last).is_empty(),
        };
        let (section, because) = (gap.section, gap.problem.to_string());
        if kept { Remark::Kept { section, because } } else { Remark::Absent { section, because } }
    };
    gaps.iter().map(remark).collect()
}

/// The jobs of a file that are no resource's.
pub(crate) fn additional_jobs(text: &str) -> String {
    let Some(jobs) = section(text, JOBS) else { return String::new() };
    let mut kept = String::new();
    let mut is_kept = false;
    for line in jobs.split_inclusive('\n').skip(1) {
        if line.starts_with("- ") {
            is_kept = !is_of_a_resource(job_name(line));
        }
        if is_kept {
            kept.push_str(line);
        }
    }
    kept
}

/// The name of the job that begins with this line, if it begins with its name.
fn job_name(line: &str) -> &str {
    line.strip_prefix("- job_name: ").unwrap_or_default().trim_end()
}

/// The names of the certificates and keys that a text points to.
pub(crate) fn certificates(text: &str) -> impl Iterator<Item = &str> {
    text.split(CERTIFICATES).skip(1).map(|rest| {
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == '"').unwrap_or(rest.len());
        &rest[..end]
    })
}

/// A section of a file, with its key. Only keys of the file itself begin a line with a letter.
fn section<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    sections(text).find(|section| is(section, key))
}

fn sections(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let begins = |at: usize| rest[at + 1..].starts_with(|letter: char| letter.is_ascii_lowercase());
        let end = rest.match_indices('\n').map(|(at, _)| at).find(|at| begins(*at));
        let (section, after) = rest.split_at(end.map_or(rest.len(), |at| at + 1));
        rest = after;
        Some(section)
    })
}

fn is(section: &str, key: &str) -> bool {
    section.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'))
}

/// A text with a section in its place.
fn with(text: &str, key: &str, section: &str) -> String {
    let place = |section: &str| ORDER.iter().position(|key| is(section, key)).unwrap_or(ORDER.len());
    let mut all: Vec<&str> = sections(text).filter(|section| !is(section, key)).chain([section]).collect();
    all.sort_by_key(|section| place(section));
    all.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: &str = "global:\n  a: 1\nscrape_configs:\n- job_name: serviceMonitor/ns/a/0\n  x: 1\n- job_name: own\n  y: |\n    text\n\n    scrape: 2\n- y: 1\n  job_name: other\nalerting:\n  alertmanagers:\n  - a\nremote_read:\n- url: r\n  ca_file: /etc/prometheus/certs/0_ns_s_ca\n";

    #[test]
    fn a_section_is_found_whole() {
        assert_eq!(section(LAST, "alerting"), Some("alerting:\n  alertmanagers:\n  - a\n"));
        assert_eq!(section(LAST, "remote_write"), None);
        assert_eq!(section(LAST, "alert"), None);
        assert_eq!(sections(LAST).collect::<String>(), LAST);
    }

    #[test]
    fn jobs_of_resources_are_told_from_others() {
        assert_eq!(
            additional_jobs(LAST),
            "- job_name: own\n  y: |\n    text\n\n    scrape: 2\n- y: 1\n  job_name: other\n"
        );
        assert_eq!(additional_jobs("scrape_configs: []\n"), "");
    }

    #[test]
    fn a_section_comes_where_it_belongs() {
        let tail = "storage:\n  a: 1\nremote_read:\n- url: new\notlp:\n  b: 2\n";
        assert_eq!(
            with(tail, "remote_write", "remote_write:\n- url: w\n"),
            "storage:\n  a: 1\nremote_write:\n- url: w\nremote_read:\n- url: new\notlp:\n  b: 2\n"
        );
        assert_eq!(
            with(tail, "remote_read", "remote_read:\n- url: old\n"),
            "storage:\n  a: 1\nremote_read:\n- url: old\notlp:\n  b: 2\n"
        );
        assert_eq!(with("", "alerting", "alerting: {}\n"), "alerting: {}\n");
    }

    #[test]
    fn what_is_worth_keeping_serves_as_well_as_the_whole() {
        let kept = worth_keeping(LAST.as_bytes()).unwrap();
        for key in KEPT {
            assert_eq!(section(&kept, key), section(LAST, key));
        }
        assert_eq!(additional_jobs(&kept), additional_jobs(LAST));
        assert!(!kept.contains("serviceMonitor/") && !kept.contains("global"), "{kept}");
        let file = "remote_write:\n- url: a\n";
        assert_eq!(worth_keeping(file.as_bytes()).unwrap(), file);
    }

    #[test]
    fn what_somebody_else_wrote_is_bounded() {
        let line = io::BufReader::new(io::repeat(b'x').take(9 << 20));
        assert_eq!(
            worth_keeping(line).unwrap_err().to_string(),
            "what would have to stay of it is larger than 8 MiB"
        );
        let many = format!("alerting:\n{}", "  a: 1\n".repeat(2 << 20));
        assert!(worth_keeping(many.as_bytes()).is_err());
        let others = format!("global:\n{}", "  a: 1\n".repeat(2 << 20));
        assert_eq!(worth_keeping(others.as_bytes()).unwrap(), "");
    }

    #[test]
    fn certificates_are_named() {
        assert_eq!(certificates(LAST).collect::<Vec<_>>(), ["0_ns_s_ca"]);
    }
}
