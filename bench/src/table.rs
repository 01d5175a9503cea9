//! The results as a table, and the checks. Pure.

use std::time::Duration;

use lab::console;

use crate::numbers::Spread;
use crate::operator::Memory;

/// The results for one number of applications.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// The number of applications.
    pub(crate) applications: usize,
    /// The installation of all applications.
    pub(crate) installation: Installation,
    /// The changes, each of a different application.
    pub(crate) changes: Vec<Change>,
    /// The restart of the operator.
    pub(crate) restart: Restart,
}

/// From the first start of the operator until all applications are installed and it is quiet.
#[derive(Debug, Clone)]
pub(crate) struct Installation {
    /// The duration.
    pub(crate) seconds: Duration,
    /// The CPU time of the operator.
    pub(crate) processor: Duration,
    /// The requests of the operator.
    pub(crate) requests: u64,
    /// The objects in its caches.
    pub(crate) objects: u64,
    /// Its memory.
    pub(crate) memory: Memory,
}

/// From one change of one application until the operator is quiet.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The requests of the operator.
    pub(crate) requests: u64,
    /// The reconciliations of the operator.
    pub(crate) passes: u64,
    /// The CPU time of the operator.
    pub(crate) processor: Duration,
    /// The time from the change until the StatefulSet has it.
    pub(crate) latency: Duration,
}

/// From the second start of the operator until it is quiet.
#[derive(Debug, Clone)]
pub(crate) struct Restart {
    /// The duration.
    pub(crate) seconds: Duration,
    /// The CPU time of the operator.
    pub(crate) processor: Duration,
    /// The write requests of the operator.
    pub(crate) writes: u64,
    /// The objects in its caches.
    pub(crate) objects: u64,
    /// Its memory.
    pub(crate) memory: Memory,
}

/// The result of the checks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Conclusion {
    /// Every change needed the same number of requests.
    same_requests: bool,
    /// No restarted operator wrote anything.
    wrote_nothing: bool,
    /// The CPU time of a change with the most applications, divided by that with the fewest.
    growth: f64,
}

impl Measured {
    fn processor(&self) -> Spread {
        Spread::of(self.changes.iter().map(|change| milliseconds(change.processor)))
    }
}

/// A growth of the CPU time up to this factor is noise.
const SAME: f64 = 2.0;

/// Checks what must not depend on the number of applications.
pub(crate) fn conclude(all: &[Measured]) -> Conclusion {
    let mut requests: Vec<u64> =
        all.iter().flat_map(|one| one.changes.iter().map(|change| change.requests)).collect();
    requests.sort_unstable();
    requests.dedup();
    let median = |one: Option<&Measured>| one.map_or(0.0, |one| one.processor().median);
    let (fewest, most) = (median(all.first()), median(all.last()));
    Conclusion {
        same_requests: requests.len() <= 1,
        wrote_nothing: all.iter().all(|one| one.restart.writes == 0),
        growth: if fewest > 0.0 { most / fewest } else { 1.0 },
    }
}

impl Conclusion {
    /// Whether all checks passed. The CPU time depends on the machine, and is not checked.
    pub(crate) fn passed(&self) -> bool {
        self.same_requests && self.wrote_nothing
    }

    /// The result in one line.
    pub(crate) fn text(&self) -> String {
        let requests = if self.same_requests { "the same" } else { "NOT THE SAME" };
        let time = if self.growth <= SAME { "independent of" } else { "GROWS WITH" };
        let writes = if self.wrote_nothing { "writes nothing" } else { "WRITES" };
        format!(
            "Requests per change: {requests} for all sizes. CPU time per change: {time} the number of applications \
             ({:.2} times that of the smallest size). A restarted operator {writes}.",
            self.growth
        )
    }
}

/// A table with one row for each number of applications.
pub(crate) fn table(all: &[Measured]) -> String {
    let titles = [
        "APPS",
        "OBJECTS",
        "REQUESTS/CHANGE",
        "PASSES/CHANGE",
        "CPU ms/CHANGE (min-max)",
        "LATENCY p50 ms",
        "RSS MiB",
        "BYTES/OBJECT (plain)",
        "RESTART s",
        "CPU s",
        "WRITES",
        "RSS (peak) MiB",
        "BYTES/OBJECT",
        "INSTALL s",
        "CPU ms/APP",
        "REQUESTS/APP",
    ];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(all.iter().map(|one| row(one, all.first().unwrap_or(one))));
    console::table(&rows)
}

fn row(one: &Measured, smallest: &Measured) -> Vec<String> {
    let Measured { applications, installation, changes, restart } = one;
    let counts = |number: fn(&Change) -> u64| {
        let spread = Spread::of(changes.iter().map(|change| float(number(change))));
        if spread.min < spread.max {
            format!("{:.0} ({:.0}-{:.0})", spread.median, spread.min, spread.max)
        } else {
            format!("{:.0}", spread.median)
        }
    };
    let processor = one.processor();
    let latency = Spread::of(changes.iter().map(|change| milliseconds(change.latency)));
    let installed = |one: &Measured| Footprint {
        memory: one.installation.memory.resident,
        objects: one.installation.objects,
    };
    let restarted =
        |one: &Measured| Footprint { memory: one.restart.memory.resident, objects: one.restart.objects };
    let per_app = |whole: f64| whole / float(u64::try_from(*applications).unwrap_or(u64::MAX)).max(1.0);
    vec![
        applications.to_string(),
        installation.objects.to_string(),
        counts(|change| change.requests),
        counts(|change| change.passes),
        format!("{:.2} ({:.2}-{:.2})", processor.median, processor.min, processor.max),
        format!("{:.0}", latency.median),
        format!("{:.1}", mebibytes(installation.memory.resident)),
        bytes(installed(one), installed(smallest)),
        format!("{:.1}", restart.seconds.as_secs_f64()),
        format!("{:.2}", restart.processor.as_secs_f64()),
        restart.writes.to_string(),
        format!("{:.1} ({:.1})", mebibytes(restart.memory.resident), mebibytes(restart.memory.peak)),
        bytes(restarted(one), restarted(smallest)),
        format!("{:.1}", installation.seconds.as_secs_f64()),
        format!("{:.2}", per_app(milliseconds(installation.processor))),
        format!("{:.1}", per_app(float(installation.requests))),
    ]
}

/// The memory of an operator and the objects in its caches.
#[derive(Debug, Clone, Copy)]
struct Footprint {
    memory: u64,
    objects: u64,
}

/// Bytes per object: of the objects that the smallest measurement does not have, and of all objects.
fn bytes(all: Footprint, smallest: Footprint) -> String {
    let plain = all.memory / all.objects.max(1);
    match all.objects.checked_sub(smallest.objects).filter(|more| *more > 0) {
        Some(more) => format!("{} ({plain})", all.memory.saturating_sub(smallest.memory) / more),
        None => format!("- ({plain})"),
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn mebibytes(bytes: u64) -> f64 {
    float(bytes) / f64::from(1 << 20)
}

#[expect(clippy::cast_precision_loss, reason = "only four digits are printed")]
fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(applications: usize, requests: [u64; 2], processor: u64, writes: u64) -> Measured {
        let objects = u64::try_from(applications).unwrap() * 7;
        let memory = Memory { resident: (20 << 20) + objects * 4096, peak: 50 << 20 };
        let change = |requests| Change {
            requests,
            passes: 1,
            processor: Duration::from_micros(processor),
            latency: Duration::from_millis(33),
        };
        Measured {
            applications,
            installation: Installation {
                seconds: Duration::from_secs(9),
                processor: Duration::from_millis(700),
                requests: 450,
                objects,
                memory,
            },
            changes: requests.map(change).to_vec(),
            restart: Restart {
                seconds: Duration::from_millis(1250),
                processor: Duration::from_millis(80),
                writes,
                objects,
                memory,
            },
        }
    }

    #[test]
    fn the_checks_pass_if_nothing_depends_on_the_number_of_applications() {
        let conclusion = conclude(&[measured(50, [2, 2], 2000, 0), measured(500, [2, 2], 3000, 0)]);
        assert_eq!(conclusion, Conclusion { same_requests: true, wrote_nothing: true, growth: 1.5 });
        assert!(conclusion.passed());
    }

    #[test]
    fn the_checks_fail_if_requests_differ_or_a_restart_writes_and_never_for_the_time() {
        let passed = |all: &[Measured]| conclude(all).passed();
        assert!(!passed(&[measured(50, [2, 3], 2000, 0)]));
        assert!(!passed(&[measured(50, [2, 2], 2000, 0), measured(500, [3, 3], 2000, 0)]));
        assert!(!passed(&[measured(50, [2, 2], 2000, 0), measured(500, [2, 2], 2000, 1)]));
        assert!(passed(&[measured(50, [2, 2], 2000, 0), measured(500, [2, 2], 90_000, 0)]));
    }

    #[test]
    fn bytes_per_object_do_not_include_the_smallest_measurement() {
        let all = [measured(50, [2, 2], 2000, 0), measured(500, [2, 4], 2000, 0)];
        let cells = row(&all[1], &all[0]);
        assert_eq!(cells[2], "3 (2-4)");
        assert_eq!(cells[7], "4096 (10087)");
        assert_eq!(row(&all[0], &all[0])[7], "- (64014)");
        assert_eq!(table(&all).lines().count(), 3);
    }
}
