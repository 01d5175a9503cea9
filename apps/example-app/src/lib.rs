//! A small stateful HTTP service: items by key, stored on a volume, with credentials, feature flags, versions with
//! different data schemas, a migration between them, and followers that replicate one writer. It exists to be managed
//! by an operator, and does not use the Kubernetes API.

pub mod app;
pub mod args;
pub mod auth;
pub mod clock;
pub mod console;
pub mod features;
pub mod follow;
pub mod gate;
pub mod http;
pub mod leader;
pub mod metrics;
pub mod migrate;
pub mod serve;
pub mod store;
pub mod version;
pub mod volume;
