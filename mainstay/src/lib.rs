//! The operators as one program: wiring only. `run` is also what tests run in their own process.

pub mod args;
pub mod candidacy;
pub mod connection;
pub mod definitions;
pub mod dry_run;
pub mod line;
pub mod manifests;
pub mod monitoring;
pub mod process;
pub mod render;
pub mod served;
pub mod web;
pub mod webhook;
pub mod webhook_service;
