//! Tables of possible states, and property tests with a model of the StatefulSet controller.

mod blocked;
pub(crate) mod build;
mod model;
mod property;
mod relabel;
mod repair;
