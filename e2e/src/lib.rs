//! Shared by the end-to-end tests: access to the lab, a namespace for each test, waits with a limit, pods that pass the
//! restricted Pod Security Standard, and the resources of the machine that a lab uses.
//!
//! The tests are in `tests/lab` (the lab), `tests/operator` and `tests/monitoring` (operators in the lab) and `tests/api`
//! (an API server alone), one file for each behaviour. They never skip: without a lab they fail, and the error says how to
//! start one.

pub mod audit;
pub mod bomb;
pub mod command;
pub mod describe;
pub mod http;
pub mod lab;
pub mod load;
pub mod machine;
pub mod namespace;
pub mod operator;
pub mod pods;
pub mod volumes;
pub mod wait;
pub mod workloads;
