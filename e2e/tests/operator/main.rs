//! The operator on a real cluster, installed like by a user. Each file tests one behaviour, while a client writes and reads.
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
