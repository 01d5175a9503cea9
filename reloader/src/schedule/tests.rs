use proptest::prelude::*;

use super::*;

const fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

const PEER: Intervals =
    Intervals { watch: milliseconds(180_000), delay: milliseconds(1_000), retry: milliseconds(5_000) };

/// A world in which passes and reloads take some time and go well or not.
struct World {
    schedule: Schedule,
    intervals: Intervals,
    now: Moment,
    /// Number of changes made, seen by a pass, sent, loaded.
    made: u32,
    seen: u32,
    sent: u32,
    loaded: u32,
    broken: bool,
    refused: bool,
    passes: Vec<Moment>,
    reloads: Vec<(Moment, bool)>,
}

impl World {
    fn new(intervals: Intervals) -> Self {
        Self {
            schedule: Schedule::new(intervals),
            intervals,
            now: Moment::ZERO,
            made: 1,
            seen: 0,
            sent: 0,
            loaded: 0,
            broken: false,
            refused: false,
            passes: Vec::new(),
            reloads: Vec::new(),
        }
    }

    fn change(&mut self, content: bool) {
        self.made += u32::from(content);
        self.schedule.happened(Event::Change, self.now);
    }

    /// Until the moment `until`, without further changes.
    fn run(&mut self, until: Moment) {
        while self.now <= until {
            match self.schedule.next(self.now) {
                Action::Wait(pause) => {
                    assert!(!pause.is_zero(), "waits for nothing");
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
        let event = if self.broken {
            Event::PassFailed
        } else {
            self.seen = self.made;
            Event::Passed { reload: self.seen != self.sent }
        };
        self.schedule.happened(event, self.now);
    }

    fn reload(&mut self) {
        assert_ne!(self.seen, self.loaded, "reloads without need");
        self.sent = self.seen;
        self.reloads.push((self.now, !self.refused));
        self.now += milliseconds(7);
        if self.refused {
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
fn the_first_change_goes_out_at_once_and_the_next_ones_together_after_the_delay() {
    let mut world = World::new(PEER);
    world.run(milliseconds(60_000));
    for offset in [0, 10, 20, 500] {
        world.run(milliseconds(60_000 + offset));
        world.change(true);
    }
    world.run(milliseconds(120_000));
    assert_eq!(world.reload_moments(), [3, 60_003, 61_003 + 3]);
    assert_eq!(world.loaded, world.made);
}

#[test]
fn a_refused_reload_is_tried_again_and_a_change_does_not_wait_for_that() {
    let mut world = World::new(PEER);
    world.refused = true;
    world.run(milliseconds(12_000));
    assert_eq!(world.reload_moments(), [3, 5_010, 10_017]);
    world.refused = false;
    world.change(true);
    world.run(milliseconds(60_000));
    assert_eq!(world.reload_moments(), [3, 5_010, 10_017, 12_003]);
    assert_eq!(world.passes.len(), 2);
}

#[test]
fn a_failed_pass_is_tried_again() {
    let mut world = World::new(PEER);
    world.broken = true;
    world.run(milliseconds(6_000));
    world.broken = false;
    world.run(milliseconds(60_000));
    assert_eq!(world.passes, [0, 5_003, 10_006].map(milliseconds));
    assert_eq!(world.reload_moments(), [10_009]);
}

#[test]
fn without_change_there_is_a_pass_each_watch_interval_and_no_reload() {
    let mut world = World::new(PEER);
    world.run(milliseconds(600_000));
    assert_eq!(world.passes, [0, 180_000, 360_000, 540_000].map(milliseconds));
    assert_eq!(world.reloads.len(), 1);
}

#[test]
fn noise_is_looked_at_less_and_less_often() {
    let mut world = World::new(PEER);
    world.run(milliseconds(10_000));
    for moment in 10_000..20_000 {
        world.run(milliseconds(moment));
        world.change(false);
    }
    // 50, 100, 200, 400, 800 and then 1000 milliseconds apart.
    assert_eq!(world.passes.len(), 1 + 6 + 8);
    world.change(true);
    let before = world.now;
    world.run(milliseconds(30_000));
    assert!(world.reloads[1].0 <= before + milliseconds(1_010), "{:?}", world.reloads);
}

#[derive(Debug, Clone)]
enum Play {
    Run(u64),
    Change(bool),
    Broken(bool),
    Refused(bool),
}

fn play() -> impl Strategy<Value = Play> {
    prop_oneof![
        3 => prop_oneof![0..20_u64, 0..2_000_u64, 0..400_000_u64].prop_map(Play::Run),
        3 => any::<bool>().prop_map(Play::Change),
        1 => any::<bool>().prop_map(Play::Broken),
        1 => any::<bool>().prop_map(Play::Refused),
    ]
}

fn intervals() -> impl Strategy<Value = Intervals> {
    (1..200_000_u64, prop_oneof![Just(0), 1..5_000_u64], 1..10_000_u64).prop_map(|(watch, delay, retry)| {
        Intervals { watch: milliseconds(watch), delay: milliseconds(delay), retry: milliseconds(retry) }
    })
}

proptest! {
    #[test]
    fn whatever_happens(intervals in intervals(), plays in prop::collection::vec(play(), 0..40)) {
        let mut world = World::new(intervals);
        for play in plays {
            match play {
                Play::Run(time) => world.run(world.now + milliseconds(time)),
                Play::Change(content) => world.change(content),
                Play::Broken(broken) => world.broken = broken,
                Play::Refused(refused) => world.refused = refused,
            }
        }
        // Passes go on: at the latest after the watch interval, the time of a pass and that of a reload.
        for pair in world.passes.windows(2) {
            prop_assert!(pair[1] <= pair[0] + world.intervals.watch + milliseconds(20));
        }
        // Reloads keep their distance, and after one that went well the whole delay.
        for pair in world.reloads.windows(2) {
            let least = if pair[0].1 { intervals.delay } else { intervals.delay.min(intervals.retry) };
            prop_assert!(pair[1].0 >= pair[0].0 + least);
        }
        // Once nothing blocks it, the last change is loaded.
        (world.broken, world.refused) = (false, false);
        let limit = intervals.delay.max(intervals.retry) + intervals.delay + milliseconds(100);
        let quiet = world.now + limit;
        world.run(quiet);
        prop_assert_eq!(world.loaded, world.made);
        // And the next one leaves at once.
        let now = world.now + intervals.delay;
        world.run(now);
        world.change(true);
        prop_assert!(matches!(world.schedule.clone().next(world.now), Action::Pass));
    }
}
