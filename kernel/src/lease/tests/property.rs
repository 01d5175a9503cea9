//! Never two permits at once, whatever happens to processes and requests: whole elections, with freezes, lost, late and
//! refused requests, stops and new candidacies. Permits are asked at every moment at which one could become valid,
//! those of frozen processes too, as if they thawed at that moment.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use proptest::prelude::*;

use super::standin::Client;
use super::*;

/// How long bad things happen, and how long a case lasts.
const TROUBLE: Duration = Duration::from_mins(3);
const LENGTH: Duration = Duration::from_mins(4);

/// What happens to one process. Times are milliseconds since the start.
#[derive(Debug, Clone)]
struct Fate {
    starts: u64,
    mishaps: Vec<Mishap>,
    /// From when, for how long.
    freezes: Vec<(u64, u64)>,
    /// When it is asked to stop; it then tries again as a new candidate.
    stops: Vec<u64>,
}

/// Every leadership that was ever given out.
#[derive(Debug, Clone, Default)]
struct Permits(Arc<Mutex<Vec<(Leadership, Validity)>>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Validity {
    NotYet,
    Now,
    Over,
}

impl Permits {
    fn check(&self) {
        let mut valid = 0;
        for (leadership, validity) in self.0.lock().unwrap().iter_mut() {
            *validity = match (leadership.may_write(), *validity) {
                (true, Validity::Over) => panic!("a leadership came back"),
                (true, _) => {
                    valid += 1;
                    Validity::Now
                }
                (false, Validity::Now | Validity::Over) => Validity::Over,
                (false, Validity::NotYet) => Validity::NotYet,
            };
        }
        assert!(valid <= 1, "{valid} permits are valid at once");
    }

    fn valid(&self) -> usize {
        self.0.lock().unwrap().iter().filter(|(leadership, _)| leadership.may_write()).count()
    }
}

/// A process: nothing in it moves while it is frozen.
struct Process {
    inside: Pin<Box<dyn Future<Output = ()>>>,
    zero: Instant,
    freezes: Vec<(u64, u64)>,
    thaw: Option<Pin<Box<dyn Future<Output = ()>>>>,
    permits: Permits,
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
        self.permits.check();
        let progress = self.inside.as_mut().poll(context);
        self.permits.check();
        progress
    }
}

/// One candidacy after the other.
async fn candidate(client: Client, fate: Fate, zero: Instant, permits: Permits) {
    clock::until(Some(zero + Duration::from_millis(fate.starts))).await;
    loop {
        let (election, leadership) = Election::new(client.clone(), "process", Settings::default()).unwrap();
        permits.0.lock().unwrap().push((leadership, Validity::NotYet));
        let stop = CancellationToken::new();
        let next_stop = fate.stops.iter().map(|stop| zero + Duration::from_millis(*stop));
        let next_stop = next_stop.filter(|moment| *moment > clock::now()).min();
        let mut running = std::pin::pin!(election.run(stop.clone()));
        let ended = tokio::select! {
            ending = &mut running => Some(ending),
            () = clock::until(next_stop) => None,
        };
        if ended.is_none() {
            stop.cancel();
            assert_eq!(running.await, Ending::Stopped);
        }
    }
}

fn mishap() -> impl Strategy<Value = Mishap> {
    prop_oneof![
        6 => Just(Mishap::None),
        1 => Just(Mishap::Unheard),
        1 => Just(Mishap::AnswerLost),
        1 => Just(Mishap::Refused),
        3 => (0u64..20_000, 0u64..6000).prop_map(|(there, back)| Mishap::Slow { there, back }),
        3 => (0u64..1500, 0u64..5000).prop_map(|(there, back)| Mishap::Slow { there, back }),
    ]
}

fn fate() -> impl Strategy<Value = Fate> {
    let end = u64::try_from(TROUBLE.as_millis()).unwrap();
    (
        0u64..10_000,
        prop::collection::vec(mishap(), 0..60),
        prop::collection::vec((0..end - 40_000, 0u64..40_000), 0..4),
        prop::collection::vec(0..end, 0..2),
    )
        .prop_map(|(starts, mishaps, freezes, stops)| Fate { starts, mishaps, freezes, stops })
}

async fn live(fates: Vec<Fate>) {
    let (server, permits, zero) = (Server::default(), Permits::default(), clock::now());
    let clients: Vec<Client> = fates.iter().map(|fate| server.client(fate.mishaps.clone())).collect();
    let processes = clients.iter().zip(fates).map(|(client, fate)| {
        let inside = Box::pin(candidate(client.clone(), fate.clone(), zero, permits.clone()));
        Process { inside, zero, freezes: fate.freezes, thaw: None, permits: permits.clone() }
    });
    let time = async {
        clock::until(Some(zero + TROUBLE)).await;
        clients.iter().for_each(Client::heal);
        clock::until(Some(zero + LENGTH)).await;
    };
    tokio::select! {
        _ = futures::future::join_all(processes) => {}
        () = time => {}
    }
    assert_eq!(permits.valid(), 1, "when all is quiet somebody holds the lease");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn never_two_permits_at_once(fates in prop::collection::vec(fate(), 2..=3)) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(live(fates));
    }
}
