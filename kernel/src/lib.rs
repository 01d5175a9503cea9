//! The framework that runs any operator: watches, queues, the writer, status, leader election. It knows no application.
//!
//! Decisions are pure (`queue`, `store`, `compare`, `fields`, `condition`, `report`, `apply::decide`, `lease::decision`):
//! the time is an argument, and nothing blocks. `driver` waits, `watch` fills the stores, `apply` writes, `reconciler` joins
//! the stages of `flow` into a pass, `index` maps objects to the resources that they affect, `hub` runs the controllers of a
//! process, and `lease` elects the process that writes. `webhook` answers the API server. `metrics`, `telemetry` and `admin`
//! are for observability. `web` serves the port of the process. `dry_run` records what would be written. `faults` injects
//! faults into requests, for tests.

pub mod access;
pub mod admin;
pub mod apply;
pub mod call;
pub mod clock;
pub mod compare;
pub mod condition;
pub mod declare;
pub mod driver;
pub mod dry_run;
pub mod events;
pub mod faults;
pub mod fields;
pub mod flow;
pub mod hub;
pub mod index;
pub mod lease;
pub mod metrics;
pub mod object;
pub mod operand;
pub mod quantity;
pub mod queue;
pub mod reconciler;
pub mod report;
pub mod store;
pub mod stores;
pub mod telemetry;
pub mod watch;
pub mod web;
pub mod webhook;
