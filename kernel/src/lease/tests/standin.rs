//! A stand-in for the API server, with one lease. What a client has sent it gets, also when the client has given up.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::core::Status;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::clock;
use crate::lease::server::{LeaseServer, ServerError};

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mishap {
    None,
    /// It never reaches the server.
    Unheard,
    /// It is done, and nobody is told.
    AnswerLost,
    /// It is refused for a reason of the server's own.
    Refused,
    /// It is done and answered late, in milliseconds each.
    Slow {
        there: u64,
        back: u64,
    },
}

#[derive(Debug, Default)]
struct Kept {
    lease: Option<Lease>,
    version: u64,
}

/// The server.
#[derive(Debug, Clone, Default)]
pub(super) struct Server(Arc<Mutex<Kept>>);

/// One process's way to it. Mishaps come in order, then none.
#[derive(Debug, Clone)]
pub(super) struct Client {
    server: Server,
    mishaps: Arc<Mutex<VecDeque<Mishap>>>,
    under_way: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
enum Request {
    Read,
    Create(Lease),
    Replace(Lease),
}

impl Server {
    pub(super) fn client(&self, mishaps: Vec<Mishap>) -> Client {
        Client {
            server: self.clone(),
            mishaps: Arc::new(Mutex::new(mishaps.into())),
            under_way: Arc::default(),
        }
    }

    pub(super) fn lease(&self) -> Option<Lease> {
        self.0.lock().unwrap().lease.clone()
    }

    /// Somebody else changes the lease.
    pub(super) fn meddle(&self, change: impl FnOnce(&mut Option<Lease>)) {
        let mut kept = self.0.lock().unwrap();
        change(&mut kept.lease);
        kept.version += 1;
        let version = kept.version.to_string();
        if let Some(lease) = &mut kept.lease {
            lease.metadata.resource_version = Some(version);
        }
    }

    fn answer(&self, request: Request) -> Result<Option<Lease>, ServerError> {
        let mut kept = self.0.lock().unwrap();
        let present = kept.lease.as_ref().and_then(|lease| lease.metadata.resource_version.clone());
        let lease = match request {
            Request::Read => return Ok(kept.lease.clone()),
            Request::Create(_) if present.is_some() => return Err(refusal(409)),
            Request::Replace(_) if present.is_none() => return Err(refusal(404)),
            // As the real one: without a version, whatever is there is replaced.
            Request::Replace(lease)
                if lease.metadata.resource_version.is_some()
                    && lease.metadata.resource_version != present =>
            {
                return Err(refusal(409));
            }
            Request::Create(lease) | Request::Replace(lease) => lease,
        };
        // As the real one: what changes nothing is no write.
        if kept.lease.as_ref().is_none_or(|before| before.spec != lease.spec) {
            kept.version += 1;
            let version = kept.version.to_string();
            kept.lease = Some(lease);
            if let Some(lease) = &mut kept.lease {
                lease.metadata.resource_version = Some(version);
            }
        }
        Ok(kept.lease.clone())
    }
}

fn refusal(code: u16) -> ServerError {
    kube::Error::Api(Box::new(Status { code, ..Status::default() })).into()
}

impl Client {
    /// No more mishaps.
    pub(super) fn heal(&self) {
        self.mishaps.lock().unwrap().clear();
    }

    async fn ask(&self, request: Request) -> Result<Option<Lease>, ServerError> {
        let mishap = self.mishaps.lock().unwrap().pop_front().unwrap_or(Mishap::None);
        let (there, back) = match mishap {
            Mishap::Unheard => return std::future::pending().await,
            Mishap::Refused => return Err(refusal(503)),
            Mishap::None | Mishap::AnswerLost => (0, 0),
            Mishap::Slow { there, back } => (there, back),
        };
        let (sender, receiver) = oneshot::channel();
        let server = self.server.clone();
        self.under_way.lock().unwrap().spawn(async move {
            pass(there).await;
            let answer = server.answer(request);
            pass(back).await;
            let _ = sender.send(answer);
        });
        if mishap == Mishap::AnswerLost {
            return std::future::pending().await;
        }
        receiver.await.unwrap()
    }
}

async fn pass(milliseconds: u64) {
    if milliseconds > 0 {
        clock::until(Some(clock::now() + Duration::from_millis(milliseconds))).await;
    }
}

impl LeaseServer for Client {
    async fn read(&self) -> Result<Option<Lease>, ServerError> {
        self.ask(Request::Read).await
    }

    async fn create(&self, lease: Lease) -> Result<Lease, ServerError> {
        self.ask(Request::Create(lease)).await.map(Option::unwrap_or_default)
    }

    async fn replace(&self, lease: Lease) -> Result<Lease, ServerError> {
        self.ask(Request::Replace(lease)).await.map(Option::unwrap_or_default)
    }
}
