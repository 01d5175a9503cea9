//! Sections with missing references are kept as they were written last: a Secret that is missing for a moment must not cause
//! lost samples or alerts. Such a section is left out only if nothing was written before.

use std::io::{self, BufRead, Read as _};

use monitoring_scrape::document::{PrometheusDocument, is_of_a_resource};
use monitoring_select::workload::{SectionGap, WorkloadSection};

use crate::plan::planned::PlanRemark;

/// The sections after the jobs, in the order of the file.
const ORDER: [&str; 6] = ["storage", "alerting", "remote_write", "remote_read", "otlp", "tracing"];

/// The key of the jobs.
const JOBS: &str = "scrape_configs";

/// The keys of sections that can have missing references.
const KEPT: [&str; 3] = ["alerting", "remote_write", "remote_read"];

/// The maximum number of bytes that are kept: more than a resource and the Secrets that it references can hold.
const LARGEST: usize = 8 << 20;

/// The directory of mounted certificates and keys.
const CERTIFICATES: &str = "/etc/prometheus/certs/";

/// The key of a section in the file; none for jobs, which share theirs with others, and for sections of other files.
fn key(section: WorkloadSection) -> Option<&'static str> {
    match section {
        WorkloadSection::AdditionalJobs | WorkloadSection::Base => None,
        WorkloadSection::Alerting => Some("alerting"),
        WorkloadSection::RemoteWrite => Some("remote_write"),
        WorkloadSection::RemoteRead => Some("remote_read"),
    }
}

/// Whether a section has a missing reference.
pub(crate) fn has(gaps: &[SectionGap], section: WorkloadSection) -> bool {
    gaps.iter().any(|gap| gap.section == section)
}

/// Replaces sections with missing references by those that were written last.
pub(crate) fn fill(document: &mut PrometheusDocument, gaps: &[SectionGap], last: Option<&str>) {
    let Some(tail) = document.pieces.last_mut() else { return };
    for key in gaps.iter().filter_map(|gap| key(gap.section)) {
        if let Some(section) = last.and_then(|last| section(last, key)) {
            tail.text = with(&tail.text, key, section).into();
        }
    }
}

/// The parts of the last written file that may have to be kept: sections that can have missing references, and the jobs
/// that users write. The size is limited, because another client may have written the file.
pub fn parts_to_keep(mut file: impl BufRead) -> io::Result<String> {
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
            let message =
                format!("the sections that may have to be kept are larger than {} MiB", LARGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        if keeps {
            kept.push_str(&line);
        }
    }
}

/// The remarks about missing references.
pub(crate) fn remarks(gaps: &[SectionGap], last: Option<&str>) -> Vec<PlanRemark> {
    let remark = |gap: &SectionGap| {
        let kept = match (key(gap.section), last) {
            (_, None) => false,
            (Some(key), Some(last)) => section(last, key).is_some(),
            (None, Some(last)) => !additional_jobs(last).is_empty(),
        };
        let (section, because) = (gap.section, gap.problem.to_string());
        if kept { PlanRemark::Kept { section, because } } else { PlanRemark::Absent { section, because } }
    };
    gaps.iter().map(remark).collect()
}

/// The jobs of the configuration that was written last, which are only those that users write.
pub(crate) fn additional_jobs(last: &str) -> &str {
    section(last, JOBS).and_then(|jobs| jobs.split_once('\n')).map_or("", |(_, jobs)| jobs)
}

/// The name of the job that begins with this line, if it begins with its name.
fn job_name(line: &str) -> &str {
    line.strip_prefix("- job_name: ").unwrap_or_default().trim_end()
}

/// The names of the certificates and keys that a text refers to.
pub(crate) fn certificates(text: &str) -> impl Iterator<Item = &str> {
    text.split(CERTIFICATES).skip(1).map(|rest| {
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == '"').unwrap_or(rest.len());
        &rest[..end]
    })
}

/// A section of a file, with its key. Only top-level keys are at the beginning of a line.
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

/// A text with a section in the right order.
fn with(text: &str, key: &str, section: &str) -> String {
    let position = |section: &str| ORDER.iter().position(|key| is(section, key)).unwrap_or(ORDER.len());
    let mut all: Vec<&str> = sections(text).filter(|section| !is(section, key)).chain([section]).collect();
    all.sort_by_key(|section| position(section));
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
    fn only_jobs_of_users_are_kept() {
        assert_eq!(
            additional_jobs(&parts_to_keep(LAST.as_bytes()).unwrap()),
            "- job_name: own\n  y: |\n    text\n\n    scrape: 2\n- y: 1\n  job_name: other\n"
        );
        assert_eq!(additional_jobs("scrape_configs: []\n"), "");
    }

    #[test]
    fn a_section_is_inserted_in_order() {
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
    fn kept_parts_contain_all_sections_that_are_needed() {
        let kept = parts_to_keep(LAST.as_bytes()).unwrap();
        for key in KEPT {
            assert_eq!(section(&kept, key), section(LAST, key));
        }
        assert!(!kept.contains("serviceMonitor/") && !kept.contains("global"), "{kept}");
        let file = "remote_write:\n- url: a\n";
        assert_eq!(parts_to_keep(file.as_bytes()).unwrap(), file);
    }

    #[test]
    fn the_size_of_kept_parts_is_limited() {
        let line = io::BufReader::new(io::repeat(b'x').take(9 << 20));
        assert_eq!(
            parts_to_keep(line).unwrap_err().to_string(),
            "the sections that may have to be kept are larger than 8 MiB"
        );
        let many = format!("alerting:\n{}", "  a: 1\n".repeat(2 << 20));
        assert!(parts_to_keep(many.as_bytes()).is_err());
        let others = format!("global:\n{}", "  a: 1\n".repeat(2 << 20));
        assert_eq!(parts_to_keep(others.as_bytes()).unwrap(), "");
    }

    #[test]
    fn certificates_are_named() {
        assert_eq!(certificates(LAST).collect::<Vec<_>>(), ["0_ns_s_ca"]);
    }
}
