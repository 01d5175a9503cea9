//! Runs a group: all its tests on a new lab, then each failed test again, alone, on another lab.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lab::clock::{Span, Stopwatch};
use lab::console::{line, note};
use lab::paths::remove_all;

use super::cluster::Cluster;
use super::event::{Ending, SuiteResults};
use super::group::{self, Group};
use super::known::Known;
use super::result::{self, Row, TestOutcome};
use super::suite::Suite;
use crate::programs::{Call, Programs};

/// Excludes tests that start each of 56 Prometheus versions, which the lab does not have.
const LEFT_OUT: &str = "EXCLUDE_PROMETHEUS_UPGRADE_TESTS";

/// How many cases of a repeated test run at once.
const PARALLEL_ALONE: u8 = 2;

/// Everything that a run of a group needs.
#[derive(Debug)]
pub(crate) struct Runner<'a> {
    /// Runs programs.
    pub(crate) programs: &'a Programs,
    /// The tests.
    pub(crate) suite: &'a Suite,
    /// What is known about them.
    pub(crate) known: &'a Known,
    /// The image of the operator to test.
    pub(crate) image: &'a str,
    /// The lab to use.
    pub(crate) lab: &'a str,
    /// The directory for the output of the tests, with a directory for each group.
    pub(crate) directory: &'a Path,
    /// Whether a failed test is repeated.
    pub(crate) repeats: bool,
}

/// One call of the test binary.
struct Run<'a> {
    group: &'a Group,
    pattern: String,
    left_out: Option<String>,
    parallel: u8,
    /// The name of the directory for its output.
    name: String,
}

impl Runner<'_> {
    /// Runs the selected tests of a group, or all.
    pub(crate) async fn run_group(&self, group: &Group, selected: Option<&str>) -> Result<Vec<Row>> {
        line(format!("\n== {}", group.name));
        let watch = Stopwatch::start();
        // Removes the output of an earlier run.
        remove_all(&self.directory.join(group.name))?;
        let run = Run {
            group,
            pattern: group.pattern(selected),
            left_out: group.left_out().filter(|_| selected.is_none()),
            parallel: group.parallel,
            name: "all".into(),
        };
        let cluster = Cluster { programs: self.programs, name: self.lab };
        let results = cluster.with(group, self.suite, async || self.run(&cluster, &run).await).await?;
        let mut rows = result::rows(group, &results, self.known);
        if self.repeats {
            self.repeat(&cluster, group, &mut rows).await?;
        }
        let (passed, all) = (result::count(&rows, TestOutcome::Pass), rows.len());
        line(format!("== {}: {passed} of {all} passed ({})", group.name, Span(watch.elapsed())));
        Ok(rows)
    }

    async fn repeat(&self, cluster: &Cluster<'_>, group: &Group, rows: &mut [Row]) -> Result<()> {
        let prefix = format!("{}/", group.prefix());
        let is_due = |row: &&mut Row| row.outcome == TestOutcome::Fail && row.test.starts_with(&prefix);
        let due: Vec<&mut Row> = rows.iter_mut().filter(is_due).collect();
        if due.is_empty() {
            return Ok(());
        }
        line(format!("   failed: {}; each is repeated, alone", due.len()));
        let work = async || {
            for row in due {
                let run = Run {
                    group,
                    pattern: group::alone(&row.test),
                    left_out: None,
                    parallel: PARALLEL_ALONE.min(group.parallel),
                    name: row.test[prefix.len()..].to_owned(),
                };
                let results = self.run(cluster, &run).await?;
                let rows = result::rows(group, &results, self.known);
                result::repeat(row, rows.into_iter().find(|second| second.test == row.test));
            }
            Ok(())
        };
        cluster.with(group, self.suite, work).await
    }

    /// Runs the tests of a pattern. Failed tests are not an error.
    async fn run(&self, cluster: &Cluster<'_>, run: &Run<'_>) -> Result<SuiteResults> {
        let directory = self.directory.join(run.group.name).join(&run.name);
        let kubeconfig = cluster.kubeconfig().await?;
        let call = self.call(run, &kubeconfig, &directory);
        let (mut results, prefix) = (SuiteResults::default(), format!("{}/", run.group.prefix()));
        let output = directory.join("output.jsonl");
        let ended = self
            .programs
            .each_line(&call, &output, |text| {
                let Some(test) = results.read(text) else { return };
                let Some(name) = test.strip_prefix(&prefix) else { return };
                let Some(result) = results.about(&test) else { return };
                let (passed, is_test) = (result.ending == Some(Ending::Passed), !name.contains('/'));
                if is_test || result.ending == Some(Ending::Failed) {
                    let word = if passed { "pass" } else { "FAIL" };
                    let word = if result.ending == Some(Ending::Skipped) { "skip" } else { word };
                    line(format!("   {word} {:>7.1} s  {name}", result.seconds));
                }
            })
            .await;
        if self.programs.stopped() {
            ended?;
        } else if results.is_empty() {
            ended.with_context(|| format!("no test was started; the output is in {}", output.display()))?;
        } else if ended.is_err() {
            line(format!("   the output of the tests: {}", directory.display()));
            if let Err(error) = cluster.save_state(&directory.join("cluster")).await {
                note(format!("   the state of the cluster could not be saved: {error:#}"));
            }
        }
        Ok(results)
    }

    fn call(&self, run: &Run<'_>, kubeconfig: &Path, directory: &Path) -> Call {
        let diagnostics: PathBuf = directory.join("diagnostics");
        let skip = run.left_out.iter().flat_map(|pattern| ["-test.skip", pattern]);
        Call::of("go")
            .words("tool test2json -t")
            .arguments([self.suite.binary().to_string_lossy()])
            .words("-test.v=test2json -test.run")
            .arguments([&run.pattern])
            .arguments(skip)
            .words(&format!("-test.parallel {} -test.timeout {}m", run.parallel, run.group.limit))
            .arguments([
                format!("--kubeconfig={}", kubeconfig.display()),
                format!("--operator-image={}", self.image),
            ])
            .inside(self.suite.tests())
            .with(LEFT_OUT, "yes")
            .with("E2E_DIAGNOSTIC_DIRECTORY", &diagnostics.to_string_lossy())
    }
}
