//! Fault injection: a layer of the client, for tests. It sees every request, watches included, and records all of them.
//!
//! A test holds a [`Script`] and makes the client of the process under test with [`client`]. It injects faults with
//! [`FaultRule`]s (the n-th write, the n-th call, or any choice of the test), holds events back, freezes what reads see, cuts
//! watches, and reads the [`Trace`] afterwards.
//!
//! # Guarantees
//! - A decision depends on the request and on the requests before it, never on the time: the same run fails at the same
//!   request.
//! - After a crash no request of that process reaches the server, and no answer reaches it.
//! - A refusal looks like one of the server, down to its `Status`.
//!
//! # Assumptions
//! The retries of kube are off, as in every client of ours: only the queue retries. They are below this layer, so that a
//! retry of a rejected request would not be recorded: one request here, several at the server.

mod layer;
mod refusal;
mod rule;
mod script;
mod selector;
mod stream;
#[cfg(test)]
mod tests;
mod trace;
mod view;

use kube::client::ClientBuilder;
use kube::{Client, Config};

pub use layer::{FaultLayer, FaultService};
pub use refusal::Refusal;
pub use rule::{Calls, Fault, FaultRule, FaultRules, Hits};
pub use script::{Cut, Script};
pub use trace::{Preconditions, Trace, TraceEntry, WriteCounts, WrittenObject};
pub use view::View;

/// A client of the present life of the script. Errors reach its caller; the client does not retry.
pub fn client(mut config: Config, script: &Script) -> Result<Client, kube::Error> {
    config.default_retry = false;
    Ok(ClientBuilder::try_from(config)?.with_layer(&script.layer()).build())
}
