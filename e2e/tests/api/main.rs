//! What a real API server makes of our resources. No pods: a control plane alone.

mod apply;
mod example_app;
mod faults;
mod hub;
mod monitoring;
mod record;
mod render;
mod unreadable;
mod watch;
mod webhook;
