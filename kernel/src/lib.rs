//! The machine that drives any operator: what to look at next, what a status says. It knows no application.
//!
//! Decisions are pure (`queue`, `store`, `condition`): time comes in as a value, and nothing waits. `driver` does
//! that, and `watch` listens.

pub mod clock;
pub mod condition;
pub mod driver;
pub mod queue;
pub mod store;
pub mod watch;
