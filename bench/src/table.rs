//! The results as a table, and what follows from them. Pure.

use std::time::Duration;

use lab::console;

use crate::numbers::Spread;
use crate::operator::Memory;

/// All that was measured with one number of applications.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// How many there are.
    pub(crate) applications: usize,
    /// All were new.
    pub(crate) installation: Installation,
    /// One was changed, again and again another one.
    pub(crate) changes: Vec<Change>,
    /// Nothing was new but the operator.
    pub(crate) restart: Restart,
}

/// From the first start of the operator until all is there and it is quiet.
#[derive(Debug, Clone)]
pub(crate) struct Installation {
    /// How long it took.
    pub(crate) seconds: Duration,
    /// Processor time of the operator.
    pub(crate) processor: Duration,
    /// Requests of the operator.
    pub(crate) requests: u64,
    /// Objects in its stores.
    pub(crate) objects: u64,
    /// Its memory.
    pub(crate) memory: Memory,
}

/// From one change of one application until the operator is quiet.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Requests of the operator.
    pub(crate) requests: u64,
    /// Passes of the operator.
    pub(crate) passes: u64,
    /// Processor time of the operator.
    pub(crate) processor: Duration,
    /// From the change to the StatefulSet that shows it.
    pub(crate) latency: Duration,
}

/// From the second start of the operator until it is quiet.
#[derive(Debug, Clone)]
pub(crate) struct Restart {
    /// How long it took.
    pub(crate) seconds: Duration,
    /// Processor time.
    pub(crate) processor: Duration,
    /// Requests that may change something.
    pub(crate) writes: u64,
    /// Objects in its stores.
    pub(crate) objects: u64,
    /// Its memory.
    pub(crate) memory: Memory,
}

/// What follows from the measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Conclusion {
    /// Every change cost the same number of requests.
    same_requests: bool,
    /// No restarted operator wrote anything.
    wrote_nothing: bool,
    /// Processor time of a change: that of the most applications as a multiple of that of the fewest.
    growth: f64,
}

impl Measured {
    fn processor(&self) -> Spread {
        Spread::of(self.changes.iter().map(|change| milliseconds(change.processor)))
    }
}

/// The processor time of a change may grow so much and still count as the same: the machine has other work.
const SAME: f64 = 2.0;

/// Judges.
pub(crate) fn verdict(all: &[Measured]) -> Conclusion {
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
    /// Whether all is well that does not depend on the machine.
    pub(crate) fn good(&self) -> bool {
        self.same_requests && self.wrote_nothing
    }

    /// In one line.
    pub(crate) fn words(&self) -> String {
        let requests = if self.same_requests { "the same" } else { "NOT THE SAME" };
        let time = if self.growth <= SAME { "independent of" } else { "GROWS WITH" };
        let writes = if self.wrote_nothing { "writes nothing" } else { "WRITES" };
        format!(
            "Requests a change: {requests} everywhere. Processor time a change: {time} the number of applications \
             ({:.2} times the smallest). A restarted operator {writes}.",
            self.growth
        )
    }
}

/// One row a number of applications.
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
        if spread.least < spread.greatest {
            format!("{:.0} ({:.0}-{:.0})", spread.median, spread.least, spread.greatest)
        } else {
            format!("{:.0}", spread.median)
        }
    };
    let processor = one.processor();
    let latency = Spread::of(changes.iter().map(|change| milliseconds(change.latency)));
    let installed = |one: &Measured| (one.installation.memory.resident, one.installation.objects);
    let restarted = |one: &Measured| (one.restart.memory.resident, one.restart.objects);
    let a_piece = |whole: f64| whole / float(u64::try_from(*applications).unwrap_or(u64::MAX)).max(1.0);
    vec![
        applications.to_string(),
        installation.objects.to_string(),
        counts(|change| change.requests),
        counts(|change| change.passes),
        format!("{:.2} ({:.2}-{:.2})", processor.median, processor.least, processor.greatest),
        format!("{:.0}", latency.median),
        format!("{:.1}", mebibytes(installation.memory.resident)),
        bytes(installed(one), installed(smallest)),
        format!("{:.1}", restart.seconds.as_secs_f64()),
        format!("{:.2}", restart.processor.as_secs_f64()),
        restart.writes.to_string(),
        format!("{:.1} ({:.1})", mebibytes(restart.memory.resident), mebibytes(restart.memory.peak)),
        bytes(restarted(one), restarted(smallest)),
        format!("{:.1}", installation.seconds.as_secs_f64()),
        format!("{:.2}", a_piece(milliseconds(installation.processor))),
        format!("{:.1}", a_piece(float(installation.requests))),
    ]
}

/// Memory an object: of those that the smallest measurement did not have, and of all.
fn bytes((memory, objects): (u64, u64), (least_memory, least_objects): (u64, u64)) -> String {
    let plain = memory / objects.max(1);
    match objects.checked_sub(least_objects).filter(|more| *more > 0) {
        Some(more) => format!("{} ({plain})", memory.saturating_sub(least_memory) / more),
        None => format!("- ({plain})"),
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn mebibytes(bytes: u64) -> f64 {
    float(bytes) / f64::from(1 << 20)
}

#[expect(clippy::cast_precision_loss, reason = "what is printed has four digits")]
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
    fn it_is_good_when_nothing_depends_on_the_number() {
        let verdict = verdict(&[measured(50, [2, 2], 2000, 0), measured(500, [2, 2], 3000, 0)]);
        assert_eq!(verdict, Conclusion { same_requests: true, wrote_nothing: true, growth: 1.5 });
        assert!(verdict.good());
    }

    #[test]
    fn it_is_bad_when_requests_differ_or_a_restart_writes_and_never_for_its_time() {
        let good = |all: &[Measured]| verdict(all).good();
        assert!(!good(&[measured(50, [2, 3], 2000, 0)]));
        assert!(!good(&[measured(50, [2, 2], 2000, 0), measured(500, [3, 3], 2000, 0)]));
        assert!(!good(&[measured(50, [2, 2], 2000, 0), measured(500, [2, 2], 2000, 1)]));
        assert!(good(&[measured(50, [2, 2], 2000, 0), measured(500, [2, 2], 90_000, 0)]));
    }

    #[test]
    fn memory_an_object_leaves_out_what_the_smallest_has() {
        let all = [measured(50, [2, 2], 2000, 0), measured(500, [2, 4], 2000, 0)];
        let cells = row(&all[1], &all[0]);
        assert_eq!(cells[2], "3 (2-4)");
        assert_eq!(cells[7], "4096 (10087)");
        assert_eq!(row(&all[0], &all[0])[7], "- (64014)");
        assert_eq!(table(&all).lines().count(), 3);
    }
}
