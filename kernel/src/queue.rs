//! Which key is reconciled next. One queue for each controller. Pure: the driver passes the time and waits.
//!
//! # Guarantees
//! - No two passes of one key run at once, and never more than `concurrency` in all.
//! - An event during a pass causes another pass after it: no event is lost.
//! - Events of one key within the window are one pass.
//! - A key that fails is retried with a back-off that grows up to a limit and is reset by a success.
//! - An event never waits for a back-off or a requeue: it brings the next pass forward.
//! - A key with a stream of events has a few passes at once, and then one at fixed intervals.

mod pace;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::time::{Duration, Instant};

use self::pace::Pace;

/// The settings of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSettings {
    /// How long the first event of a key waits for others.
    pub window: Duration,
    /// How many passes of one key events may cause one right after the other.
    pub at_once: u32,
    /// The interval between passes after that.
    pub every: Duration,
    /// How many passes may run at once.
    pub concurrency: usize,
    /// The pause after the first failure; each further one doubles it.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self {
            window: Duration::from_millis(20),
            at_once: 5,
            every: Duration::from_millis(400),
            concurrency: 4,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_mins(5),
        }
    }
}

/// The outcome of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing left to do until something changes.
    Settled,
    /// Requeue after this time, or when something changes.
    Waiting(Duration),
    /// It failed and is retried.
    Failed,
    /// The resource cannot be decoded: nothing can be done until it is changed.
    Unreadable,
}

#[derive(Debug, Default)]
struct Entry {
    /// When the next pass is due, if one is.
    due: Option<Instant>,
    /// When the oldest event arrived that the next pass will handle.
    waiting_since: Option<Instant>,
    running: bool,
    failures: u32,
}

/// A pass to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass<K> {
    /// Its key.
    pub key: K,
    /// How long the oldest event has waited for it; `None` if no event caused it.
    pub latency: Option<Duration>,
}

/// Keys and when they are due.
#[derive(Debug)]
pub struct Queue<K> {
    settings: QueueSettings,
    pace: Pace<K>,
    entries: HashMap<K, Entry>,
    /// Due times of the keys that are not running, so that finding the next one needs no scan.
    due: BTreeMap<Instant, BTreeSet<K>>,
    depth: usize,
    running: usize,
}

impl<K: Clone + Eq + Hash + Ord> Queue<K> {
    /// An empty queue.
    pub fn new(settings: QueueSettings) -> Self {
        Self {
            pace: Pace::new(settings.at_once, settings.every),
            settings,
            entries: HashMap::new(),
            due: BTreeMap::new(),
            depth: 0,
            running: 0,
        }
    }

    /// Something changed that this key depends on.
    pub fn add(&mut self, key: K, now: Instant) {
        let window = now + self.settings.window;
        let due = self.pace.earliest(&key).map_or(window, |earliest| earliest.max(window));
        let entry = self.entries.entry(key.clone()).or_default();
        entry.waiting_since.get_or_insert(now);
        self.bring_forward(key, due);
    }

    /// A pass that is due, if the number of running passes permits it.
    pub fn start(&mut self, now: Instant) -> Option<Pass<K>> {
        if self.running >= self.settings.concurrency {
            return None;
        }
        let mut first = self.due.first_entry().filter(|first| *first.key() <= now)?;
        let key = first.get_mut().pop_first()?;
        self.depth -= 1;
        if first.get().is_empty() {
            first.remove();
        }
        let entry = self.entries.get_mut(&key)?;
        entry.due = None;
        entry.running = true;
        self.running += 1;
        let latency = entry.waiting_since.take().map(|since| now.saturating_duration_since(since));
        if latency.is_some() {
            self.pace.spend(&key, now);
        }
        Some(Pass { key, latency })
    }

    /// A pass has ended.
    pub fn finish(&mut self, key: &K, outcome: Outcome, now: Instant) {
        let Some(entry) = self.entries.get_mut(key).filter(|entry| entry.running) else { return };
        entry.running = false;
        self.running -= 1;
        let requeue_after = match outcome {
            Outcome::Settled | Outcome::Unreadable => {
                entry.failures = 0;
                None
            }
            Outcome::Waiting(pause) => {
                entry.failures = 0;
                Some(now + pause)
            }
            Outcome::Failed => {
                entry.failures = entry.failures.saturating_add(1);
                Some(now + pause_after(&self.settings, entry.failures))
            }
        };
        // An event that came during the pass is due already, or soon.
        let due = [entry.due.take(), requeue_after].into_iter().flatten().min();
        match due {
            Some(due) => self.bring_forward(key.clone(), due),
            None => drop(self.entries.remove(key)),
        }
    }

    /// When the next pass is due, if the number of running passes permits it.
    pub fn next_due(&self) -> Option<Instant> {
        self.due.keys().next().copied().filter(|_| self.running < self.settings.concurrency)
    }

    /// How many keys have a pass due, now or later.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Makes a key due at `due`, unless it is due sooner. One that is running is queued when it has ended.
    fn bring_forward(&mut self, key: K, due: Instant) {
        let entry = self.entries.entry(key.clone()).or_default();
        if entry.due.is_some_and(|present| present <= due) {
            return;
        }
        let before = entry.due.replace(due);
        if entry.running {
            return;
        }
        if let Some(before) = before
            && let Some(keys) = self.due.get_mut(&before)
        {
            self.depth -= usize::from(keys.remove(&key));
            if keys.is_empty() {
                self.due.remove(&before);
            }
        }
        self.depth += usize::from(self.due.entry(due).or_default().insert(key));
    }
}

fn pause_after(settings: &QueueSettings, failures: u32) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    settings.first_pause.saturating_mul(1 << doublings).min(settings.longest_pause)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WINDOW: Duration = Duration::from_millis(20);

    fn settings() -> QueueSettings {
        QueueSettings {
            window: WINDOW,
            at_once: 3,
            every: Duration::from_millis(250),
            concurrency: 2,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(10),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a test needs some moment to count from")]
    fn start() -> Instant {
        Instant::now()
    }

    fn keys(queue: &mut Queue<u8>, now: Instant) -> Vec<u8> {
        std::iter::from_fn(|| queue.start(now).map(|pass| pass.key)).collect()
    }

    #[test]
    fn events_within_the_window_are_one_pass() {
        let (mut queue, zero) = (Queue::new(settings()), start());
        for milliseconds in [0, 5, 19] {
            queue.add(1, zero + Duration::from_millis(milliseconds));
        }
        assert_eq!(queue.start(zero + Duration::from_millis(19)), None);
        assert_eq!(queue.next_due(), Some(zero + WINDOW));
        assert_eq!(queue.start(zero + WINDOW), Some(Pass { key: 1, latency: Some(WINDOW) }));
        queue.finish(&1, Outcome::Settled, zero + WINDOW);
        assert_eq!((queue.depth(), queue.next_due()), (0, None));
    }

    #[test]
    fn an_event_during_a_pass_causes_another_after_it() {
        let (mut queue, zero) = (Queue::new(settings()), start());
        queue.add(1, zero);
        let now = zero + WINDOW;
        assert_eq!(keys(&mut queue, now), [1]);
        queue.add(1, now);
        assert_eq!(keys(&mut queue, now + WINDOW * 9), Vec::<u8>::new(), "never two passes of one key");
        queue.finish(&1, Outcome::Settled, now + WINDOW * 9);
        assert_eq!(keys(&mut queue, now + WINDOW * 9), [1]);
    }

    #[test]
    fn no_more_passes_run_than_allowed() {
        let (mut queue, zero) = (Queue::new(settings()), start());
        for key in 0..5 {
            queue.add(key, zero);
        }
        let now = zero + WINDOW;
        assert_eq!(keys(&mut queue, now), [0, 1]);
        assert_eq!(queue.next_due(), None, "the driver waits only for the end of a pass");
        queue.finish(&0, Outcome::Settled, now);
        assert_eq!(keys(&mut queue, now), [2]);
    }

    #[test]
    fn the_back_off_grows_to_a_limit_and_is_reset_by_a_success() {
        let (mut queue, mut now) = (Queue::new(settings()), start());
        queue.add(1, now);
        now += WINDOW;
        let mut pauses = Vec::new();
        for _ in 0..6 {
            assert_eq!(keys(&mut queue, now), [1]);
            queue.finish(&1, Outcome::Failed, now);
            let due = queue.next_due().unwrap();
            pauses.push((due - now).as_secs());
            now = due;
        }
        assert_eq!(pauses, [1, 2, 4, 8, 10, 10]);
        assert_eq!(keys(&mut queue, now), [1]);
        queue.finish(&1, Outcome::Waiting(Duration::from_secs(7)), now);
        assert_eq!(queue.next_due(), Some(now + Duration::from_secs(7)));
        now += Duration::from_secs(7);
        assert_eq!(queue.start(now), Some(Pass { key: 1, latency: None }), "no event caused it");
        queue.finish(&1, Outcome::Failed, now);
        assert_eq!(queue.next_due(), Some(now + Duration::from_secs(1)));
    }

    #[test]
    fn an_event_does_not_wait_for_a_back_off() {
        let (mut queue, now) = (Queue::new(settings()), start());
        queue.add(1, now);
        assert_eq!(keys(&mut queue, now + WINDOW), [1]);
        queue.finish(&1, Outcome::Failed, now + WINDOW);
        queue.add(1, now + WINDOW);
        assert_eq!(keys(&mut queue, now + WINDOW * 2), [1]);
    }

    #[test]
    fn a_stream_of_events_causes_a_burst_of_passes_and_then_one_per_interval() {
        let (mut queue, zero) = (Queue::new(settings()), start());
        let mut passes = Vec::new();
        for milliseconds in 0..2000 {
            let now = zero + Duration::from_millis(milliseconds);
            if milliseconds < 1000 {
                queue.add(1, now);
            }
            for key in keys(&mut queue, now) {
                passes.push(milliseconds);
                queue.finish(&key, Outcome::Settled, now);
            }
        }
        // The last event comes after 999 ms, and causes a pass.
        assert_eq!(passes, [20, 41, 62, 270, 520, 770, 1020]);
    }

    #[test]
    fn a_requeue_is_not_limited_by_the_pace() {
        let (mut queue, now) = (Queue::new(settings()), start());
        for _ in 0..9 {
            queue.add(1, now);
            let due = queue.next_due().unwrap();
            assert_eq!(keys(&mut queue, due), [1]);
            queue.finish(&1, Outcome::Waiting(Duration::ZERO), due);
            assert_eq!(keys(&mut queue, due), [1]);
            queue.finish(&1, Outcome::Settled, due);
        }
    }

    /// What happens to a queue, in any order.
    #[derive(Debug, Clone)]
    enum Occurrence {
        Event(u8),
        End(Outcome),
        Time(u64),
    }

    fn occurrences() -> impl Strategy<Value = Vec<Occurrence>> {
        let outcome = prop_oneof![
            Just(Outcome::Settled),
            Just(Outcome::Failed),
            Just(Outcome::Unreadable),
            (0u64..3000).prop_map(|pause| Outcome::Waiting(Duration::from_millis(pause))),
        ];
        let occurrence = prop_oneof![
            (0u8..6).prop_map(Occurrence::Event),
            outcome.prop_map(Occurrence::End),
            (0u64..2000).prop_map(Occurrence::Time),
        ];
        prop::collection::vec(occurrence, 0..200)
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_limit_is_broken(occurrences in occurrences()) {
            let (mut queue, mut now) = (Queue::new(settings()), start());
            let mut pending: BTreeSet<u8> = BTreeSet::new();
            let mut running: Vec<u8> = Vec::new();
            for occurrence in occurrences {
                match occurrence {
                    Occurrence::Event(key) => {
                        queue.add(key, now);
                        pending.insert(key);
                    }
                    Occurrence::End(outcome) => {
                        if let Some(key) = running.pop() {
                            queue.finish(&key, outcome, now);
                        }
                    }
                    Occurrence::Time(milliseconds) => now += Duration::from_millis(milliseconds),
                }
                for key in keys(&mut queue, now) {
                    prop_assert!(!running.contains(&key), "two passes of {}", key);
                    pending.remove(&key);
                    running.push(key);
                }
                prop_assert!(running.len() <= 2);
                prop_assert_eq!(queue.running, running.len());
            }
            // In the end every event has caused a pass, and the queue is empty.
            for _ in 0..50 {
                for key in running.drain(..) {
                    queue.finish(&key, Outcome::Settled, now);
                }
                now += Duration::from_secs(20);
                for key in keys(&mut queue, now) {
                    pending.remove(&key);
                    running.push(key);
                }
            }
            prop_assert!(running.is_empty());
            prop_assert_eq!(pending, BTreeSet::new());
            prop_assert_eq!(queue.depth(), 0);
            prop_assert!(queue.entries.is_empty(), "settled keys are removed");
        }
    }
}
