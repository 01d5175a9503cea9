//! A stand-in for the API server, with one lease. A request is processed even if the client no longer waits for the answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::core::Status;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::clock;
use crate::lease::server::{LeaseServer, ServerError};

/// A fault of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// It never reaches the server.
    RequestLost,
    /// It is processed, and the answer is lost.
    AnswerLost,
    /// It is rejected with an internal error of the server.
    Rejected,
    /// It is processed and answered late; the delays are in milliseconds.
    Slow {
        there: u64,
        back: u64,
    },
}

#[derive(Debug, Default)]
struct State {
    lease: Option<Lease>,
    version: u64,
}

/// The server.
#[derive(Debug, Clone, Default)]
pub(super) struct Server(Arc<Mutex<State>>);

/// The connection of one process. Faults occur in this order, then none.
#[derive(Debug, Clone)]
pub(super) struct Client {
    server: Server,
    faults: Arc<Mutex<VecDeque<Fault>>>,
    pending: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
enum Request {
    Read,
    Create(Lease),
    Replace(Lease),
}

impl Server {
    pub(super) fn client(&self, faults: Vec<Fault>) -> Client {
        Client { server: self.clone(), faults: Arc::new(Mutex::new(faults.into())), pending: Arc::default() }
    }

    pub(super) fn lease(&self) -> Option<Lease> {
        self.0.lock().unwrap().lease.clone()
    }

    /// Another client changes the lease.
    pub(super) fn change(&self, change: impl FnOnce(&mut Option<Lease>)) {
        let mut state = self.0.lock().unwrap();
        change(&mut state.lease);
        state.version += 1;
        let version = state.version.to_string();
        if let Some(lease) = &mut state.lease {
            lease.metadata.resource_version = Some(version);
        }
    }

    fn answer(&self, request: Request) -> Result<Option<Lease>, ServerError> {
        let mut state = self.0.lock().unwrap();
        let present = state.lease.as_ref().and_then(|lease| lease.metadata.resource_version.clone());
        let lease = match request {
            Request::Read => return Ok(state.lease.clone()),
            Request::Create(_) if present.is_some() => return Err(failure(409)),
            Request::Replace(_) if present.is_none() => return Err(failure(404)),
            // As in Kubernetes: without a version, any present lease is replaced.
            Request::Replace(lease)
                if lease.metadata.resource_version.is_some()
                    && lease.metadata.resource_version != present =>
            {
                return Err(failure(409));
            }
            Request::Create(lease) | Request::Replace(lease) => lease,
        };
        // As in Kubernetes: a write that changes nothing creates no version.
        if state.lease.as_ref().is_none_or(|before| before.spec != lease.spec) {
            state.version += 1;
            let version = state.version.to_string();
            state.lease = Some(lease);
            if let Some(lease) = &mut state.lease {
                lease.metadata.resource_version = Some(version);
            }
        }
        Ok(state.lease.clone())
    }
}

fn failure(code: u16) -> ServerError {
    kube::Error::Api(Box::new(Status { code, ..Status::default() })).into()
}

impl Client {
    /// Ends all faults.
    pub(super) fn heal(&self) {
        self.faults.lock().unwrap().clear();
    }

    async fn send(&self, request: Request) -> Result<Option<Lease>, ServerError> {
        let fault = self.faults.lock().unwrap().pop_front().unwrap_or(Fault::None);
        let (there, back) = match fault {
            Fault::RequestLost => return std::future::pending().await,
            Fault::Rejected => return Err(failure(503)),
            Fault::None | Fault::AnswerLost => (0, 0),
            Fault::Slow { there, back } => (there, back),
        };
        let (sender, receiver) = oneshot::channel();
        let server = self.server.clone();
        self.pending.lock().unwrap().spawn(async move {
            wait(there).await;
            let answer = server.answer(request);
            wait(back).await;
            let _ = sender.send(answer);
        });
        if fault == Fault::AnswerLost {
            return std::future::pending().await;
        }
        receiver.await.unwrap()
    }
}

async fn wait(milliseconds: u64) {
    if milliseconds > 0 {
        clock::until(Some(clock::now() + Duration::from_millis(milliseconds))).await;
    }
}

impl LeaseServer for Client {
    async fn read(&self) -> Result<Option<Lease>, ServerError> {
        self.send(Request::Read).await
    }

    async fn create(&self, lease: Lease) -> Result<Lease, ServerError> {
        self.send(Request::Create(lease)).await.map(Option::unwrap_or_default)
    }

    async fn replace(&self, lease: Lease) -> Result<Lease, ServerError> {
        self.send(Request::Replace(lease)).await.map(Option::unwrap_or_default)
    }
}
