//! How a process comes to lead: by an election, or without one where nobody asks for it or the lease may not be read.

use std::time::Duration;

use anyhow::{Context, Result};
use kernel::lease::{Election, Leadership, LeaseObject, Settings};
use kube::Client;

use crate::args::RunArguments;

/// How a process comes to lead.
#[derive(Debug)]
pub struct Candidacy {
    /// Whether it may write.
    pub leadership: Leadership,
    /// Who is asked whether it leads; nobody, if it leads in any case.
    pub election: Option<Election<LeaseObject>>,
    /// A lease that would be asked for if it could be read.
    pub denied: Option<Denied>,
}

/// A lease that may not be read.
#[derive(Debug)]
pub struct Denied(LeaseObject);

impl Candidacy {
    /// Looks whether the lease may be read, if one is wanted.
    pub async fn of(arguments: &RunArguments, client: &Client, own_namespace: &str) -> Result<Self> {
        let alone = Self { leadership: Leadership::always(), election: None, denied: None };
        if arguments.no_leader_election {
            return Ok(alone);
        }
        let namespace = arguments.lease_namespace.as_deref().unwrap_or(own_namespace);
        let lease = LeaseObject::new(client.clone(), namespace, &arguments.lease_name);
        if !lease.is_allowed().await {
            tracing::warn!(
                "leases in {namespace} may not be read: this process writes without asking whether another one leads; \
                 grant get, create and update of leases, or run one process only"
            );
            return Ok(Self { denied: Some(Denied(lease)), ..alone });
        }
        let duration = Duration::from_secs(arguments.lease_duration);
        let settings = Settings { duration, renew_deadline: duration * 2 / 3, ..Settings::default() };
        let (election, leadership) =
            Election::new(lease, &arguments.identity, settings).context("--lease-duration")?;
        Ok(Self { leadership, election: Some(election), denied: None })
    }
}

/// Waits until a process that leads without an election could have one: a server that has just begun denies everything,
/// and rights can be granted later.
pub async fn electable(denied: Option<Denied>) {
    match denied {
        Some(Denied(lease)) => lease.allowed().await,
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

    /// A server that has read its roles after so many seconds. There is no lease yet.
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

    /// Whether a process writes at once, whether it stands in an election, and after how many seconds it begins anew.
    async fn led(arguments: &[&str], seconds: u64) -> (bool, bool, Option<u64>) {
        let arguments = Arguments::parse_from([&["mainstay"], arguments].concat()).run;
        let start = clock::now();
        let Candidacy { leadership, election, denied } =
            Candidacy::of(&arguments, &server(seconds), "home").await.unwrap();
        let at_once = (leadership.may_write(), election.is_some());
        let anew = tokio::time::timeout(Duration::from_hours(1), electable(denied)).await;
        (at_once.0, at_once.1, anew.ok().map(|()| (clock::now() - start).as_secs()))
    }

    #[tokio::test(start_paused = true)]
    async fn who_may_not_read_the_lease_leads_at_once_and_begins_anew_when_he_may() {
        assert_eq!(led(&[], 0).await, (false, true, None));
        assert_eq!(led(&[], 9).await, (true, false, Some(10)));
        assert_eq!(led(&[], 100_000).await, (true, false, None));
        assert_eq!(led(&["--no-leader-election"], 9).await, (true, false, None));
    }
}
