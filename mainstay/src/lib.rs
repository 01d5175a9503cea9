//! The operators as one program: wiring only. Tests run the same in their own process.

pub mod args;
pub mod connection;
pub mod dry_run;
pub mod leader_election;
pub mod line;
pub mod process;
pub mod products;
pub mod render;
pub mod web;
pub mod webhook;
pub mod webhook_service;
