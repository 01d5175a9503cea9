//! The operator on a real cluster, installed as a user installs it: each file shows one thing that it does, with a client
//! that writes and reads all the while.
//!
//! Run by `make test`, or by hand: `cargo lab up --name e2e --nodes 3`, `cargo lab image build mainstay example-app`, then
//! `cargo nextest run --profile e2e -p e2e --test operator`.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

mod absent;
mod adopt;
mod install;
mod leader;
mod scale;
mod uninstall;
mod upgrade;
