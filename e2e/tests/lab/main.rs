//! The lab is a real Kubernetes. Each file tests one behaviour of it, with real pods.
//!
//! Run by `make test`, or by hand: `cargo lab up --name e2e --nodes 3`, then `cargo nextest run --profile e2e -p e2e`. The
//! files `node_restart`, `node_loss`, `drain`, `crash` and `idempotent` stop nodes or labs, so `.config/nextest.toml` runs
//! them alone.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

mod crash;
mod dns;
mod drain;
mod eviction;
mod idempotent;
mod images;
mod job;
mod kubectl;
mod node_loss;
mod node_restart;
mod operands;
mod probes;
mod secret_update;
mod statefulset;
mod volume_full;
