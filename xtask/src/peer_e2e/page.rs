//! The results, as a table for the terminal and as a page. Pure.

use std::fmt::Write;

use lab::console::table;

use super::group::ALL;
use super::result::{Row, TestOutcome, count};

impl TestOutcome {
    fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::Skip => "skip",
            Self::Excused => "excused",
        }
    }
}

impl Row {
    /// The cells after the name.
    fn cells(&self) -> [String; 3] {
        let cases = self.cases.map(|(passed, all)| format!("{passed} of {all} cases"));
        let note: Vec<String> =
            cases.into_iter().chain([self.note.clone()]).filter(|part| !part.is_empty()).collect();
        [self.outcome.word().into(), self.seconds.to_string(), note.join("; ")]
    }
}

/// The maximum length of a note on the terminal: the page and the cache contain the whole note.
const WIDTH: usize = 160;

/// The rows for the terminal.
pub(crate) fn shown(operator: &str, rows: &[Row]) -> String {
    let heading = ["TEST", operator, "SECONDS", "NOTE"].map(str::to_owned).to_vec();
    let line = |row: &Row| {
        let [outcome, seconds, note] = row.cells();
        let short: String = note.chars().take(WIDTH).collect();
        let note = if short.len() < note.len() { format!("{short}…") } else { note };
        vec![row.test.clone(), outcome, seconds, note]
    };
    table(&std::iter::once(heading).chain(rows.iter().map(line)).collect::<Vec<_>>())
}

/// The counts of the rows in a sentence.
pub(crate) fn closing(rows: &[Row]) -> String {
    let some = |outcome, words: &str| {
        let found = count(rows, outcome);
        if found == 0 { String::new() } else { format!(", {found} {words}") }
    };
    let repeated = rows.iter().filter(|row| row.repeated && row.outcome == TestOutcome::Pass).count();
    let again = if repeated == 0 { String::new() } else { format!(" ({repeated} at the second try)") };
    format!(
        "{} of {} passed{again}{}{}{}",
        count(rows, TestOutcome::Pass),
        rows.len(),
        some(TestOutcome::Excused, "excused"),
        some(TestOutcome::Skip, "skipped"),
        some(TestOutcome::Fail, "FAILED"),
    )
}

const BEGINNING: &str = "\
<!-- Written by `make peer-e2e WRITE=yes`; do not edit. -->

# Compatibility: results of the Prometheus Operator's own tests

The end-to-end suite of the Prometheus Operator, built from its Go module, runs against Mainstay's image on the
[lab](../lab/README.md), with the Prometheus Operator's own Deployment, flags and roles. Only the images of operator, webhook
and reloader are replaced. `make peer-e2e GROUP=alertmanager` runs one group, `make peer-e2e` runs all, in about three hours.

- The suite is changed in one place: it reads the files of the previous version from a directory instead of the network.
- Blackbox exporter, echo server and nginx are replaced by small programs of our own. Tests of upgrades use newer programs
  under the older tags of Prometheus, Alertmanager and Thanos: they are about the operator, not about its operands.
- Not run: the upgrade through 56 Prometheus versions (`TestPrometheusVersionUpgrade`).
- A failed test was repeated once, alone; its note says so. *Excused* means that the failure says nothing about
  compatibility, or is an [intended difference](differences.md#in-the-cluster); the note has the reason.
";

/// The page: the recorded results of each group.
pub(crate) fn page(version: &str, recorded: &[(&str, Vec<Row>)]) -> String {
    let rows: Vec<Row> = recorded.iter().flat_map(|(_, rows)| rows.clone()).collect();
    let mut page = format!("{BEGINNING}\nPrometheus Operator {version}: {}.\n", closing(&rows));
    for group in ALL {
        let _ = write!(page, "\n## {}\n\n", group.name);
        let Some((_, rows)) = recorded.iter().find(|(name, _)| *name == group.name) else {
            page.push_str("Not run yet.\n");
            continue;
        };
        page.push_str("| test | Mainstay | seconds | note |\n|---|---|---|---|\n");
        for row in rows {
            let cells = row.cells().map(|cell| cell.replace('|', "\\|"));
            let name = row.test.strip_prefix(&format!("{}/", group.prefix())).unwrap_or(&row.test);
            let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |test: &str, outcome, cases, note: &str, repeated| Row {
            test: format!("TestAllNS/x/{test}"),
            outcome,
            seconds: 7,
            cases,
            note: note.into(),
            repeated,
        };
        vec![
            row("AMWeb", TestOutcome::Pass, Some((2, 2)), "", false),
            row("AMSlow", TestOutcome::Pass, None, "at the second try", true),
            row("AMBad", TestOutcome::Fail, None, "a | b", false),
            row("AMKnown", TestOutcome::Excused, None, "why", false),
        ]
    }

    #[test]
    fn the_terminal_gets_a_table_and_a_sentence() {
        assert_eq!(
            shown("ours", &rows()[..2]),
            "TEST                 ours   SECONDS   NOTE\n\
             TestAllNS/x/AMWeb    pass   7         2 of 2 cases\n\
             TestAllNS/x/AMSlow   pass   7         at the second try\n"
        );
        assert_eq!(closing(&rows()), "2 of 4 passed (1 at the second try), 1 excused, 1 FAILED");
        assert_eq!(closing(&rows()[..1]), "1 of 1 passed");
    }

    #[test]
    fn the_page_has_a_section_for_each_group_and_a_row_for_each_test() {
        let page = page("0.93.1", &[("alertmanager", rows())]);
        assert!(page.contains("\n## alertmanager\n\n| test | Mainstay | seconds | note |\n|---|---|---|---|\n| AMWeb | pass | 7 | 2 of 2 cases |\n"));
        assert!(page.contains("\n| AMBad | FAIL | 7 | a \\| b |\n"));
        assert_eq!(page.matches("\nNot run yet.\n").count(), ALL.len() - 1);
    }
}
