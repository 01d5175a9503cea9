//! The machine that drives any operator: what to look at next, what to write, what a status says. It knows no
//! application.
//!
//! Decisions are pure (`queue`, `store`, `compare`, `fields`, `condition`, `report`, `apply::decide`, the core of
//! `lease`): time comes in as a value, and nothing waits. `driver` does that, `watch` listens, `apply` writes, `reconciler`
//! joins the stages of `flow` into a pass, `index` knows whom a change concerns, `hub` runs the passes of a process, and `lease` says whether this process is the one that writes.
//! `webhook` answers the API server. `metrics`, `telemetry` and `admin` tell what it does. `web` is the port behind which
//! all that is told and answered. `rehearsal` shows what would be written. `faults` is for tests: a server that misbehaves on command.

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
