//! Tests of the real server in this process, each with its own port and directory. They need no cluster.

mod replicas;
mod service;
mod support;
