//! Tests of the program with a volume that is updated as the kubelet does, and a fake Prometheus that records reloads.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails with a panic")]

mod content;
mod lines;
mod program;
mod prometheus;
mod signal;
mod volume;
mod web;

use std::time::Duration;

/// The limit of every wait. It is only reached when a test fails.
const LIMIT: Duration = Duration::from_mins(1);
