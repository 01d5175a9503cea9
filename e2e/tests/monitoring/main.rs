//! The monitoring operators on a real cluster, with real operands.
//!
//! Run by `make test`, or by hand: `cargo lab up --name e2e --nodes 3`, `cargo lab image build` with the images that
//! `xtask/src/test.rs` names, then `cargo nextest run --profile e2e -p e2e --test monitoring`.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

mod absent;
mod bad;
mod client;
mod drift;
mod immutable;
mod kind;
mod lifecycle;
mod objects;
mod peer;
mod refused;
mod selected;
mod state;
mod takeover;
mod webhooks;
mod workload;
