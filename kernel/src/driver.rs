//! Runs the passes of one controller: receives keys, starts passes in the order of the queue, stops cleanly. It does not
//! depend on Kubernetes or on what a pass does; a pass may be dropped at any await.

use std::collections::HashMap;
use std::fmt::Debug;
use std::future::Future;
use std::hash::Hash;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::metrics::ControllerMetrics;
use crate::queue::{Outcome, Queue, QueueSettings};

/// How a controller runs.
#[derive(Debug, Clone)]
pub struct Driver {
    /// The settings of its queue.
    pub settings: QueueSettings,
    /// How long passes may take to finish after a request to stop. Then they are dropped.
    pub grace: Duration,
    /// Its metrics.
    pub metrics: ControllerMetrics,
}

/// How the driver ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All passes finished.
    Finished,
    /// Some were dropped: the next process reads the present state.
    Abandoned(usize),
}

impl Driver {
    /// Runs `pass` for every key, until `stop` or until all senders are gone.
    ///
    /// A pass that panics counts as failed: its key is retried, the others go on.
    pub async fn run<K, Pass, Running>(
        &self,
        mut keys: mpsc::UnboundedReceiver<K>,
        pass: Pass,
        stop: CancellationToken,
    ) -> Ending
    where
        K: Clone + Debug + Eq + Hash + Ord + Send + 'static,
        Pass: Fn(K) -> Running,
        Running: Future<Output = Outcome> + Send + 'static,
    {
        let mut queue: Queue<K> = Queue::new(self.settings.clone());
        let mut passes = Passes { tasks: JoinSet::new(), keys: HashMap::new() };
        loop {
            while let Some(next) = queue.start(clock::now()) {
                let at = clock::now();
                self.metrics.started(at, next.latency);
                passes.start(next.key.clone(), at, pass(next.key));
            }
            self.metrics.holds(queue.depth());
            tokio::select! {
                () = stop.cancelled() => break,
                key = keys.recv() => match key {
                    Some(key) => {
                        self.metrics.added();
                        queue.add(key, clock::now());
                    }
                    None => break,
                },
                Some((key, outcome, at)) = passes.next() => {
                    let now = clock::now();
                    self.metrics.ended(outcome, at, now.saturating_duration_since(at));
                    queue.finish(&key, outcome, now);
                }
                () = clock::until(queue.next_due()) => {}
            }
        }
        passes.end(self.grace).await
    }
}

/// The running passes.
struct Passes<K> {
    tasks: JoinSet<Outcome>,
    keys: HashMap<Id, (K, Instant)>,
}

impl<K> Passes<K> {
    fn start(&mut self, key: K, at: Instant, pass: impl Future<Output = Outcome> + Send + 'static) {
        let task = self.tasks.spawn(pass);
        self.keys.insert(task.id(), (key, at));
    }

    /// The next pass that ends, its outcome, and when it began; nothing if none runs.
    async fn next(&mut self) -> Option<(K, Outcome, Instant)> {
        let (task, outcome) = match self.tasks.join_next_with_id().await? {
            Ok((task, outcome)) => (task, outcome),
            Err(error) => (JoinError::id(&error), Outcome::Failed),
        };
        let (key, at) = self.keys.remove(&task)?;
        Some((key, outcome, at))
    }

    async fn end(mut self, grace: Duration) -> Ending {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(grace, all).await.is_ok() {
            return Ending::Finished;
        }
        let left = self.tasks.len();
        self.tasks.shutdown().await;
        Ending::Abandoned(left)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::metrics::{Catalogue, Metrics};

    fn driver() -> Driver {
        let settings = QueueSettings {
            window: Duration::from_millis(20),
            at_once: 5,
            every: Duration::from_millis(250),
            concurrency: 2,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(10),
        };
        let metrics = Metrics::register(&mut Catalogue::default(), "", "").controller("test");
        Driver { settings, grace: Duration::from_secs(5), metrics }
    }

    /// What happened, with the milliseconds since the start.
    #[derive(Clone)]
    struct Log {
        zero: Instant,
        entries: Arc<Mutex<Vec<(u128, String)>>>,
    }

    impl Log {
        fn new() -> Self {
            Self { zero: clock::now(), entries: Arc::default() }
        }

        fn write(&self, what: String) {
            self.entries.lock().unwrap().push(((clock::now() - self.zero).as_millis(), what));
        }

        fn read(&self) -> Vec<(u128, String)> {
            self.entries.lock().unwrap().clone()
        }
    }

    fn entries(all: &[(u128, &str)]) -> Vec<(u128, String)> {
        all.iter().map(|(when, what)| (*when, (*what).to_owned())).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn failed_passes_are_retried_later_and_do_not_delay_others() {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (log, stop) = (Log::new(), CancellationToken::new());
        let notes = log.clone();
        let pass = move |key: &'static str| {
            let notes = notes.clone();
            async move {
                notes.write(key.to_owned());
                match key {
                    "bad" => Outcome::Failed,
                    "broken" => panic!("a defect"),
                    _ => Outcome::Settled,
                }
            }
        };
        for key in ["bad", "good", "good"] {
            sender.send(key).unwrap();
        }
        let later = async {
            clock::until(Some(log.zero + Duration::from_millis(2500))).await;
            sender.send("broken").unwrap();
            clock::until(Some(log.zero + Duration::from_secs(4))).await;
            stop.cancel();
        };
        let driver = driver();
        let (ending, ()) = tokio::join!(driver.run(receiver, pass, stop.clone()), later);
        assert_eq!(ending, Ending::Finished);
        // The timer has a resolution of one millisecond and never fires early.
        let rounded: Vec<(u128, String)> =
            log.read().into_iter().map(|(when, what)| (when / 10 * 10, what)).collect();
        let expected =
            [(20, "bad"), (20, "good"), (1020, "bad"), (2520, "broken"), (3020, "bad"), (3520, "broken")];
        assert_eq!(rounded, entries(&expected));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_lets_passes_finish_and_drops_those_that_do_not() {
        for (length, expected) in [(3, Ending::Finished), (60, Ending::Abandoned(1))] {
            let (sender, receiver) = mpsc::unbounded_channel();
            let (log, stop) = (Log::new(), CancellationToken::new());
            let (notes, zero) = (log.clone(), log.zero);
            let pass = move |key: u8| {
                let notes = notes.clone();
                async move {
                    clock::until(Some(zero + Duration::from_secs(length))).await;
                    notes.write(format!("{key} ended"));
                    Outcome::Settled
                }
            };
            sender.send(1).unwrap();
            let later = async {
                clock::until(Some(zero + Duration::from_secs(1))).await;
                sender.send(2).unwrap();
                stop.cancel();
            };
            let driver = driver();
            let (ending, ()) = tokio::join!(driver.run(receiver, pass, stop.clone()), later);
            assert_eq!(ending, expected);
            assert_eq!(
                log.read().len(),
                usize::from(expected == Ending::Finished),
                "no pass begins after the stop"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_driver_ends_with_its_last_sender() {
        let (sender, receiver) = mpsc::unbounded_channel::<u8>();
        drop(sender);
        let pass = |_| async { Outcome::Settled };
        assert_eq!(driver().run(receiver, pass, CancellationToken::new()).await, Ending::Finished);
    }
}
