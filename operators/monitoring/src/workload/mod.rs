//! What all workloads share: their pods, and the objects that run and configure them. Pure.
//!
//! | file | owns |
//! |---|---|
//! | [`operator`] | the settings of objects that follow from the flags |
//! | [`defaults`] | the versions and images that run by default |
//! | [`instance`] | a workload at a version: names, labels, addresses |
//! | [`labels`], [`metadata`] | labels, annotations and owners of objects |
//! | [`existing`] | fields of an existing object that are kept when it is written again |
//! | [`pod`], [`container`], [`volume`], [`storage`] | parts of pods |
//! | [`arguments`] | command lines, and the versions that have a flag |
//! | [`image`] | the image of a container |
//! | [`reloader`] | the container that reloads configurations |
//! | [`merge`] | the user's containers merged into those of the operator |
//! | [`path`] | paths and URLs |
//! | [`statefulset`] | StatefulSets |
//! | [`secret`], [`tls_assets`] | Secrets |
//! | [`governing_service`] | the Service that provides the DNS names of pods |
//! | [`thanos`] | flags that all components of Thanos share |

pub mod arguments;
pub mod container;
pub mod defaults;
pub mod existing;
pub mod governing_service;
pub mod image;
pub mod instance;
pub mod labels;
pub mod merge;
pub mod metadata;
pub mod operator;
pub mod path;
pub mod pod;
pub mod reloader;
pub(crate) mod secret;
pub mod statefulset;
pub mod storage;
pub mod thanos;
pub mod tls_assets;
pub mod volume;
