use proptest::prelude::*;

use super::*;

const SETTINGS: PaceSettings =
    PaceSettings { apart: Duration::from_secs(5), patience: Duration::from_secs(3) };

fn at(milliseconds: u64) -> Timestamp {
    Timestamp::from_millisecond(1_700_000_000_000 + i64::try_from(milliseconds).unwrap()).unwrap()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn the_first_change_is_touched_at_once_and_later_ones_together() {
    let mut pace = Pace::default();
    pace.wrote();
    let touch = TouchDecision { touch: true, requeue_after: Some(seconds(1)) };
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Pending, at(0)), touch);
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Loaded, at(1000)), TouchDecision::default());
    for second in [2, 3, 4] {
        pace.wrote();
        let wait = TouchDecision { touch: false, requeue_after: Some(seconds(5 - second)) };
        assert_eq!(pace.next(&SETTINGS, LoadSummary::Pending, at(second * 1000)), wait);
    }
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Pending, at(5000)), touch);
}

#[test]
fn touches_are_repeated_with_growing_pauses_and_end() {
    let mut pace = Pace::default();
    pace.wrote();
    let mut now = 0;
    let mut touches = Vec::new();
    while now < 3_600_000 {
        let decision = pace.next(&SETTINGS, LoadSummary::Pending, at(now));
        if decision.touch {
            touches.push(now / 1000);
        }
        now += u64::try_from(decision.requeue_after.unwrap().as_millis()).unwrap();
    }
    assert_eq!(touches, [0, 3, 9, 21, 45, 93, 189]);
}

#[test]
fn pods_that_cannot_be_asked_are_touched_once_for_a_change_and_not_for_a_restart() {
    let mut pace = Pace::default();
    let wait = TouchDecision { touch: false, requeue_after: Some(seconds(30)) };
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Unknown, at(0)), wait);
    pace.wrote();
    assert!(pace.next(&SETTINGS, LoadSummary::Unknown, at(1000)).touch);
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Unknown, at(60_000)), wait);
}

#[test]
fn a_change_that_pods_do_not_report_is_touched_once_and_not_lost() {
    let mut pace = Pace::default();
    pace.wrote();
    assert!(pace.next(&SETTINGS, LoadSummary::Pending, at(0)).touch);
    pace.wrote_hidden();
    let wait = TouchDecision { touch: false, requeue_after: Some(seconds(3)) };
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Loaded, at(2000)), wait);
    assert!(pace.is_for_all());
    assert!(pace.next(&SETTINGS, LoadSummary::Loaded, at(5000)).touch);
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Loaded, at(6000)), TouchDecision::default());
    assert!(!pace.is_for_all());
}

#[test]
fn pods_that_reject_a_change_are_only_touched_for_the_next_one() {
    let mut pace = Pace::default();
    let wait = TouchDecision { touch: false, requeue_after: Some(seconds(30)) };
    assert_eq!(pace.next(&SETTINGS, LoadSummary::Rejected, at(0)), wait);
    pace.wrote();
    assert!(pace.next(&SETTINGS, LoadSummary::Rejected, at(1000)).touch);
}

#[test]
fn a_clock_that_is_set_back_loses_no_change() {
    let mut pace = Pace::default();
    pace.wrote();
    assert!(pace.next(&SETTINGS, LoadSummary::Pending, at(3_600_000)).touch);
    pace.wrote();
    assert!(pace.next(&SETTINGS, LoadSummary::Pending, at(0)).touch);
}

#[test]
fn the_worst_pod_decides() {
    let pending = || LoadState::Pending(String::new());
    assert_eq!(LoadSummary::of([]), LoadSummary::Loaded);
    assert_eq!(
        LoadSummary::of(&[LoadState::Loaded, LoadState::Unknown(String::new())]),
        LoadSummary::Unknown
    );
    assert_eq!(LoadSummary::of(&[pending(), LoadState::Rejected(String::new())]), LoadSummary::Pending);
}

/// A simulation of one workload, its kubelet and its operator.
#[derive(Debug, Default)]
struct Simulation {
    written: u64,
    loaded: u64,
    /// When the kubelet syncs the pod after a touch, and which write it mounts.
    syncs: Option<(u64, u64)>,
    /// When touched, and for which write.
    touches: Vec<(u64, u64)>,
    /// The times of the writes.
    writes: Vec<u64>,
    pace: Pace,
    look: Option<u64>,
}

impl Simulation {
    fn look(&mut self, now: u64, delay: Option<u64>) {
        if let Some((when, what)) = self.syncs.filter(|(when, _)| *when <= now) {
            assert!(when <= now);
            self.loaded = what;
            self.syncs = None;
        }
        let summary = if self.loaded == self.written { LoadSummary::Loaded } else { LoadSummary::Pending };
        let decision = self.pace.next(&SETTINGS, summary, at(now));
        if decision.touch {
            self.touches.push((now, self.written));
            self.syncs = delay.map(|delay| (now + delay, self.written));
        }
        self.look = decision.requeue_after.map(|pause| now + u64::try_from(pause.as_millis()).unwrap());
    }
}

proptest! {
    #[test]
    fn many_edits_cause_few_touches_and_the_last_edit_arrives(
        mut writes in prop::collection::vec(0..60_000_u64, 1..40),
        delays in prop::collection::vec(prop::option::weighted(0.8, 100..4_000_u64), 1..8),
        lost in prop::collection::vec(0..60_000_u64, 0..3),
    ) {
        writes.sort_unstable();
        let mut simulation = Simulation::default();
        let mut delays = delays.into_iter().cycle();
        // The last pauses are long; a kubelet that runs syncs the pod within them.
        for now in (0..1_200_000_u64).step_by(50) {
            let here = writes.iter().filter(|write| **write / 50 == now / 50).count();
            for _ in 0..here {
                simulation.written += 1;
                simulation.writes.push(now);
                simulation.pace.wrote();
            }
            if lost.iter().any(|time| time / 50 == now / 50) {
                simulation.pace = Pace::default();
                simulation.look = Some(now);
            }
            if here > 0 || simulation.look.is_some_and(|look| look <= now) {
                let delay = delays.next().unwrap();
                // In the end the kubelet always syncs the pod.
                simulation.look(now, if now > 60_000 { delay.or(Some(100)) } else { delay });
            }
        }
        prop_assert_eq!(simulation.loaded, simulation.written);
        prop_assert_eq!(simulation.look, None);
        if lost.is_empty() {
            prop_assert_eq!(simulation.touches[0].0, simulation.writes[0]);
            for pair in simulation.touches.windows(2) {
                let ((first, what), (second, then)) = (pair[0], pair[1]);
                let least = if what == then { SETTINGS.patience } else { SETTINGS.apart };
                prop_assert!(second - first >= u64::try_from(least.as_millis()).unwrap(), "{:?}", pair);
            }
            for what in 1..=simulation.written {
                let times = simulation.touches.iter().filter(|(_, of)| *of == what).count();
                prop_assert!(times <= 1 + usize::try_from(RETRIES).unwrap());
            }
        }
        // Each write is followed soon by a touch, for it or for a later one.
        for (index, time) in simulation.writes.iter().enumerate() {
            let touched = simulation.touches.iter().find(|(_, what)| *what > index as u64);
            prop_assert!(touched.is_some_and(|(when, _)| when - time <= 5_050), "{:?} {:?}", time, touched);
        }
    }
}
