//! Tests with a real API server and no pods: a control plane alone.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

mod admission;
mod apply;
mod example_app;
mod faults;
mod hub;
mod kubelet;
mod monitoring;
mod record;
mod render;
mod status_without_subresource;
mod unreadable;
mod watch;
mod webhook;
mod webhooks_registered;
mod writing_an_operator;
