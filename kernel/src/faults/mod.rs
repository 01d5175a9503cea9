//! A server that misbehaves on command: a layer of the client, for tests and for the chaos suite. It sees every
//! request, watches included, and writes all of them down.
//!
//! A test holds a [`Script`] and makes the client of the process under test with [`client`]. It says what shall go
//! wrong as [`Rule`]s (the n-th write, the n-th call, or whatever a test picks), holds events back, freezes what reads
//! see, cuts watches, and reads the [`Trace`] afterwards.
//!
//! # Guarantees
//! - A decision depends on the request and on the requests before it, never on the time: the same run breaks at the
//!   same place.
//! - After a crash nothing more of that process reaches the server, and no answer reaches it.
//! - A refusal looks like the server's own, down to its `Status`.
//!
//! # Assumptions
//! kube's own retries are off, as in every client of ours: the queue retries, and only the queue. They sit below this
//! layer, so that a request that the server refuses would be repeated unseen: counted once here, several times there.

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
pub use rule::{Calls, Fault, Gate, Hits, Predicate, Rule, Rules};
pub use script::{Cut, Script};
pub use trace::{Counts, Entry, Object, Preconditions, Trace};
pub use view::View;

/// A client of the script's present life. Errors reach its caller; nothing below retries.
pub fn client(mut config: Config, script: &Script) -> Result<Client, kube::Error> {
    config.default_retry = false;
    Ok(ClientBuilder::try_from(config)?.with_layer(&script.layer()).build())
}
