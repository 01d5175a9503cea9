//! What a real API server makes of our resources. No pods: a control plane alone.

mod example_app;
mod faults;
mod watch;
mod webhook;
