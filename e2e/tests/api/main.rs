//! What a real API server makes of our resources. No pods: a control plane alone.

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
