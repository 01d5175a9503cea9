//! Rows of what can be wrong, and a small StatefulSet controller to play against.

mod blocked;
pub(crate) mod build;
mod model;
mod property;
mod relabel;
mod repair;
