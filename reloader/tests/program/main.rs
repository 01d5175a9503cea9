//! The program itself, run beside a volume that is swapped the kubelet's way and a neighbour that notes its reloads.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what a test cannot do, it fails on")]

mod content;
mod lines;
mod neighbour;
mod program;
mod signal;
mod volume;
mod web;

use std::time::Duration;

/// Longer than anything here takes; nothing waits for it unless something is wrong.
const LIMIT: Duration = Duration::from_mins(1);
