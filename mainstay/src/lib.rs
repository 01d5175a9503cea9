//! The operators as one program: wiring only. `run` is also what tests run in their own process.

pub mod args;
pub mod candidacy;
pub mod connection;
pub mod dry_run;
pub mod line;
pub mod process;
pub mod products;
pub mod render;
pub mod web;
pub mod webhook;
pub mod webhook_service;
