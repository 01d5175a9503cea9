//! There are never two valid leaderships, whatever happens to processes and requests: whole elections, with frozen
//! processes, lost, late and rejected requests, stops and new candidacies. All leaderships are checked at every moment at
//! which one could become valid, those of frozen processes too, as if they continued at that moment.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use proptest::prelude::*;

use super::standin::Client;
use super::*;

/// How long faults are injected, and how long a case lasts.
const FAULTY: Duration = Duration::from_mins(3);
const LENGTH: Duration = Duration::from_mins(4);

/// The faults of one process. Times are milliseconds since the start.
#[derive(Debug, Clone)]
struct Faults {
    starts: u64,
    requests: Vec<Fault>,
    /// The start and the length of each.
    freezes: Vec<(u64, u64)>,
    /// When it is asked to stop; then it starts again as a new candidate.
    stops: Vec<u64>,
}

/// All leaderships.
#[derive(Debug, Clone, Default)]
struct Leaderships(Arc<Mutex<Vec<(Leadership, Validity)>>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Validity {
    NotYet,
    Now,
    Over,
}

impl Leaderships {
    fn check(&self) {
        let mut valid = 0;
        for (leadership, validity) in self.0.lock().unwrap().iter_mut() {
            *validity = match (leadership.may_write(), *validity) {
                (true, Validity::Over) => panic!("a lost leadership is valid again"),
                (true, _) => {
                    valid += 1;
                    Validity::Now
                }
                (false, Validity::Now | Validity::Over) => Validity::Over,
                (false, Validity::NotYet) => Validity::NotYet,
            };
        }
        assert!(valid <= 1, "{valid} leaderships are valid at once");
    }

    fn valid(&self) -> usize {
        self.0.lock().unwrap().iter().filter(|(leadership, _)| leadership.may_write()).count()
    }
}

/// A process. It is not polled while it is frozen.
struct Process {
    inside: Pin<Box<dyn Future<Output = ()>>>,
    zero: Instant,
    freezes: Vec<(u64, u64)>,
    thaw: Option<Pin<Box<dyn Future<Output = ()>>>>,
    leaderships: Leaderships,
}

impl Future for Process {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let now = clock::now() - self.zero;
        let frozen = self.freezes.iter().find_map(|(from, length)| {
            let (from, length) = (Duration::from_millis(*from), Duration::from_millis(*length));
            (from <= now && now < from + length).then_some(from + length)
        });
        if let Some(end) = frozen {
            let end = self.zero + end;
            let thaw = self.thaw.insert(Box::pin(clock::until(Some(end))));
            if thaw.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
        self.leaderships.check();
        let progress = self.inside.as_mut().poll(context);
        self.leaderships.check();
        progress
    }
}

/// One candidacy after the other.
async fn candidate(client: Client, faults: Faults, zero: Instant, leaderships: Leaderships) {
    clock::until(Some(zero + Duration::from_millis(faults.starts))).await;
    loop {
        let settings = ElectionSettings::default();
        let (election, leadership) = Election::new(client.clone(), "process", settings).unwrap();
        leaderships.0.lock().unwrap().push((leadership, Validity::NotYet));
        let stop = CancellationToken::new();
        let next_stop = faults.stops.iter().map(|stop| zero + Duration::from_millis(*stop));
        let next_stop = next_stop.filter(|moment| *moment > clock::now()).min();
        let mut running = std::pin::pin!(election.run(stop.clone()));
        let ended = tokio::select! {
            ending = &mut running => Some(ending),
            () = clock::until(next_stop) => None,
        };
        if ended.is_none() {
            stop.cancel();
            assert_eq!(running.await, ElectionEnding::Stopped);
        }
    }
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        6 => Just(Fault::None),
        1 => Just(Fault::RequestLost),
        1 => Just(Fault::AnswerLost),
        1 => Just(Fault::Rejected),
        3 => (0u64..20_000, 0u64..6000).prop_map(|(there, back)| Fault::Slow { there, back }),
        3 => (0u64..1500, 0u64..5000).prop_map(|(there, back)| Fault::Slow { there, back }),
    ]
}

fn faults() -> impl Strategy<Value = Faults> {
    let end = u64::try_from(FAULTY.as_millis()).unwrap();
    (
        0u64..10_000,
        prop::collection::vec(fault(), 0..60),
        prop::collection::vec((0..end - 40_000, 0u64..40_000), 0..4),
        prop::collection::vec(0..end, 0..2),
    )
        .prop_map(|(starts, requests, freezes, stops)| Faults { starts, requests, freezes, stops })
}

async fn live(all: Vec<Faults>) {
    let (server, leaderships, zero) = (Server::default(), Leaderships::default(), clock::now());
    let clients: Vec<Client> = all.iter().map(|faults| server.client(faults.requests.clone())).collect();
    let processes = clients.iter().zip(all).map(|(client, faults)| {
        let inside = Box::pin(candidate(client.clone(), faults.clone(), zero, leaderships.clone()));
        Process { inside, zero, freezes: faults.freezes, thaw: None, leaderships: leaderships.clone() }
    });
    let time = async {
        clock::until(Some(zero + FAULTY)).await;
        clients.iter().for_each(Client::heal);
        clock::until(Some(zero + LENGTH)).await;
    };
    tokio::select! {
        _ = futures::future::join_all(processes) => {}
        () = time => {}
    }
    assert_eq!(leaderships.valid(), 1, "without faults one process holds the lease");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn never_two_leaderships_are_valid(all in prop::collection::vec(faults(), 2..=3)) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(live(all));
    }
}
