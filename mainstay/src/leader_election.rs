//! Leader election. A process writes without it if it is disabled, or if the process cannot read the lease.

use std::time::Duration;

use anyhow::{Context, Result};
use kernel::lease::{Election, ElectionSettings, Leadership, LeaseObject};
use kube::Client;

use crate::args::RunArguments;

/// Whether the process takes part in leader election.
#[derive(Debug)]
pub struct LeaderElection {
    /// Whether the process may write.
    pub leadership: Leadership,
    /// The election; `None` if the process writes without one.
    pub election: Option<Election<LeaseObject>>,
    /// The lease of an election that is wanted, if the process cannot read it.
    pub forbidden: Option<LeaseObject>,
}

impl LeaderElection {
    /// Checks whether the process can read the lease, unless leader election is off.
    pub async fn of(arguments: &RunArguments, client: &Client, own_namespace: &str) -> Result<Self> {
        let none = Self { leadership: Leadership::always(), election: None, forbidden: None };
        if arguments.no_leader_election {
            return Ok(none);
        }
        let namespace = arguments.lease_namespace.as_deref().unwrap_or(own_namespace);
        let lease = LeaseObject::new(client.clone(), namespace, &arguments.lease_name);
        if !lease.is_allowed().await {
            tracing::warn!(
                "this process writes without leader election, because it cannot read leases in {namespace}: grant get, \
                 create and update of leases, or run one process only"
            );
            return Ok(Self { forbidden: Some(lease), ..none });
        }
        let duration = Duration::from_secs(arguments.lease_duration);
        let renew_deadline = duration * 2 / 3;
        let settings = ElectionSettings { duration, renew_deadline, ..ElectionSettings::default() };
        let (election, leadership) =
            Election::new(lease, &arguments.identity, settings).context("--lease-duration")?;
        Ok(Self { leadership, election: Some(election), forbidden: None })
    }
}

/// Waits until the process can read a lease that it could not read. An API server that has just started denies everything,
/// and permissions can be granted later.
pub async fn permitted(forbidden: Option<LeaseObject>) {
    match forbidden {
        Some(lease) => lease.allowed().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use clap::Parser;
    use http::{Request, Response};
    use kernel::clock;
    use kube::client::Body;
    use serde_json::json;
    use tower::BoxError;

    use super::*;
    use crate::args::Arguments;

    /// A server that forbids everything for so many seconds. There is no lease yet.
    fn server(seconds: u64) -> Client {
        let start = clock::now();
        let service = tower::service_fn(move |_: Request<Body>| {
            let is_denied = clock::now() < start + Duration::from_secs(seconds);
            let (code, reason) = if is_denied { (403, "Forbidden") } else { (404, "NotFound") };
            let body = json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason});
            let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
            ready(answer.map_err(BoxError::from))
        });
        Client::new(service, "default")
    }

    /// Whether a process writes immediately, whether it takes part in an election, and after how many seconds it restarts.
    async fn elected(arguments: &[&str], seconds: u64) -> (bool, bool, Option<u64>) {
        let arguments = Arguments::parse_from([&["mainstay"], arguments].concat()).run;
        let start = clock::now();
        let LeaderElection { leadership, election, forbidden } =
            LeaderElection::of(&arguments, &server(seconds), "home").await.unwrap();
        let at_once = (leadership.may_write(), election.is_some());
        let restart = tokio::time::timeout(Duration::from_hours(1), permitted(forbidden)).await;
        (at_once.0, at_once.1, restart.ok().map(|()| (clock::now() - start).as_secs()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_that_cannot_read_the_lease_writes_and_restarts_once_it_can() {
        assert_eq!(elected(&[], 0).await, (false, true, None));
        assert_eq!(elected(&[], 9).await, (true, false, Some(10)));
        assert_eq!(elected(&[], 100_000).await, (true, false, None));
        assert_eq!(elected(&["--no-leader-election"], 9).await, (true, false, None));
    }
}
