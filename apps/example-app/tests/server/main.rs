//! The real server, in this process, on a port and in a directory of its own. Needs no cluster.

mod replicas;
mod service;
mod support;
