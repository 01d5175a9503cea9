use proptest::prelude::*;

use super::*;

const fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

const PEER: Intervals =
    Intervals { watch: milliseconds(180_000), delay: milliseconds(1_000), retry: milliseconds(5_000) };

/// Simulates passes and reloads that take some time and can fail.
struct Simulation {
    schedule: Schedule,
    intervals: Intervals,
    now: Moment,
    /// The number of changes that were made, seen by a pass, sent, loaded.
    made: u32,
    seen: u32,
    sent: u32,
    loaded: u32,
    passes_fail: bool,
    reloads_fail: bool,
    passes: Vec<Moment>,
    reloads: Vec<(Moment, bool)>,
}

impl Simulation {
    fn new(intervals: Intervals) -> Self {
        Self {
            schedule: Schedule::new(intervals),
            intervals,
            now: Moment::ZERO,
            made: 1,
            seen: 0,
            sent: 0,
            loaded: 0,
            passes_fail: false,
            reloads_fail: false,
            passes: Vec::new(),
            reloads: Vec::new(),
        }
    }

    fn change(&mut self, content: bool) {
        self.made += u32::from(content);
        self.schedule.happened(Event::Change, self.now);
    }

    /// Runs until the moment `until`, without further changes.
    fn run(&mut self, until: Moment) {
        while self.now <= until {
            match self.schedule.next(self.now) {
                Action::Wait(pause) => {
                    assert!(!pause.is_zero(), "waits for zero time");
                    if self.now + pause > until {
                        self.now = until;
                        return;
                    }
                    self.now += pause;
                }
                Action::Pass => self.pass(),
                Action::Reload => self.reload(),
            }
        }
    }

    fn pass(&mut self) {
        self.passes.push(self.now);
        self.now += milliseconds(3);
        let event = if self.passes_fail {
            Event::PassFailed
        } else {
            self.seen = self.made;
            Event::Passed { reload: self.seen != self.sent }
        };
        self.schedule.happened(event, self.now);
    }

    fn reload(&mut self) {
        assert_ne!(self.seen, self.loaded, "an unnecessary reload");
        self.sent = self.seen;
        self.reloads.push((self.now, !self.reloads_fail));
        self.now += milliseconds(7);
        if self.reloads_fail {
            self.schedule.happened(Event::ReloadFailed, self.now);
        } else {
            self.loaded = self.seen;
            self.schedule.happened(Event::Reloaded, self.now);
        }
    }

    fn reload_moments(&self) -> Vec<u128> {
        self.reloads.iter().map(|(moment, _)| moment.as_millis()).collect()
    }
}

#[test]
fn the_first_change_is_reloaded_at_once_and_the_next_ones_together_after_the_delay() {
    let mut simulation = Simulation::new(PEER);
    simulation.run(milliseconds(60_000));
    for offset in [0, 10, 20, 500] {
        simulation.run(milliseconds(60_000 + offset));
        simulation.change(true);
    }
    simulation.run(milliseconds(120_000));
    assert_eq!(simulation.reload_moments(), [3, 60_003, 61_003 + 3]);
    assert_eq!(simulation.loaded, simulation.made);
}

#[test]
fn a_failed_reload_is_retried_and_a_change_does_not_wait_for_that() {
    let mut simulation = Simulation::new(PEER);
    simulation.reloads_fail = true;
    simulation.run(milliseconds(12_000));
    assert_eq!(simulation.reload_moments(), [3, 5_010, 10_017]);
    simulation.reloads_fail = false;
    simulation.change(true);
    simulation.run(milliseconds(60_000));
    assert_eq!(simulation.reload_moments(), [3, 5_010, 10_017, 12_003]);
    assert_eq!(simulation.passes.len(), 2);
}

#[test]
fn a_failed_pass_is_retried() {
    let mut simulation = Simulation::new(PEER);
    simulation.passes_fail = true;
    simulation.run(milliseconds(6_000));
    simulation.passes_fail = false;
    simulation.run(milliseconds(60_000));
    assert_eq!(simulation.passes, [0, 5_003, 10_006].map(milliseconds));
    assert_eq!(simulation.reload_moments(), [10_009]);
}

#[test]
fn without_change_there_is_a_pass_each_watch_interval_and_no_reload() {
    let mut simulation = Simulation::new(PEER);
    simulation.run(milliseconds(600_000));
    assert_eq!(simulation.passes, [0, 180_000, 360_000, 540_000].map(milliseconds));
    assert_eq!(simulation.reloads.len(), 1);
}

#[test]
fn events_without_a_change_cause_passes_less_and_less_often() {
    let mut simulation = Simulation::new(PEER);
    simulation.run(milliseconds(10_000));
    for moment in 10_000..20_000 {
        simulation.run(milliseconds(moment));
        simulation.change(false);
    }
    // 50, 100, 200, 400, 800 and then 1000 milliseconds apart.
    assert_eq!(simulation.passes.len(), 1 + 6 + 8);
    simulation.change(true);
    let before = simulation.now;
    simulation.run(milliseconds(30_000));
    assert!(simulation.reloads[1].0 <= before + milliseconds(1_010), "{:?}", simulation.reloads);
}

#[derive(Debug, Clone)]
enum Step {
    Run(u64),
    Change(bool),
    PassesFail(bool),
    ReloadsFail(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => prop_oneof![0..20_u64, 0..2_000_u64, 0..400_000_u64].prop_map(Step::Run),
        3 => any::<bool>().prop_map(Step::Change),
        1 => any::<bool>().prop_map(Step::PassesFail),
        1 => any::<bool>().prop_map(Step::ReloadsFail),
    ]
}

fn intervals() -> impl Strategy<Value = Intervals> {
    (1..200_000_u64, prop_oneof![Just(0), 1..5_000_u64], 1..10_000_u64).prop_map(|(watch, delay, retry)| {
        Intervals { watch: milliseconds(watch), delay: milliseconds(delay), retry: milliseconds(retry) }
    })
}

proptest! {
    #[test]
    fn the_intervals_are_kept_and_the_last_change_is_loaded(intervals in intervals(), steps in prop::collection::vec(step(), 0..40)) {
        let mut simulation = Simulation::new(intervals);
        for step in steps {
            match step {
                Step::Run(time) => simulation.run(simulation.now + milliseconds(time)),
                Step::Change(content) => simulation.change(content),
                Step::PassesFail(fail) => simulation.passes_fail = fail,
                Step::ReloadsFail(fail) => simulation.reloads_fail = fail,
            }
        }
        // The next pass starts at the latest after the watch interval, the time of a pass and that of a reload.
        for pair in simulation.passes.windows(2) {
            prop_assert!(pair[1] <= pair[0] + simulation.intervals.watch + milliseconds(20));
        }
        // Reloads have a minimum distance, which after a successful one is the whole delay.
        for pair in simulation.reloads.windows(2) {
            let least = if pair[0].1 { intervals.delay } else { intervals.delay.min(intervals.retry) };
            prop_assert!(pair[1].0 >= pair[0].0 + least);
        }
        // Once nothing blocks it, the last change is loaded.
        (simulation.passes_fail, simulation.reloads_fail) = (false, false);
        let limit = intervals.delay.max(intervals.retry) + intervals.delay + milliseconds(100);
        let quiet = simulation.now + limit;
        simulation.run(quiet);
        prop_assert_eq!(simulation.loaded, simulation.made);
        // The next change causes a pass at once.
        let now = simulation.now + intervals.delay;
        simulation.run(now);
        simulation.change(true);
        prop_assert!(matches!(simulation.schedule.clone().next(simulation.now), Action::Pass));
    }
}
