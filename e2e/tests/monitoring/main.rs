//! The monitoring operators on a real cluster: real servers in real pods.
//!
//! Run by `make test`, or by hand: `cargo lab up --name e2e --nodes 3`, `cargo lab image build` with the images that
//! `xtask/src/test.rs` names, then `cargo nextest run --profile e2e -p e2e --test monitoring`.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

mod absent;
mod bad;
mod cells;
mod client;
mod drift;
mod kind;
mod objects;
mod peer;
mod pieces;
mod refused;
mod rows;
mod state;
mod takeover;
mod webhooks;
mod workload;
