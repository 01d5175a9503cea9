//! What the end-to-end tests share: finding the lab, a namespace a test, waiting with a limit, pods that pass the
//! restricted Pod Security Standard, and counting what a lab holds of the machine.
//!
//! The tests are in `tests/lab` (the lab), `tests/operator` (the operators on it) and `tests/api` (an API server alone), one
//! file a behaviour. They never skip: without a lab they fail and say how to get one.

pub mod audit;
pub mod bomb;
pub mod command;
pub mod describe;
pub mod http;
pub mod lab;
pub mod machine;
pub mod namespace;
pub mod operator;
pub mod pods;
pub mod volumes;
pub mod wait;
pub mod workloads;
pub mod writer;
