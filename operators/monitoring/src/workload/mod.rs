//! Pods and what they need: what runs them (a StatefulSet or DaemonSet), Services, Secrets. Pure: resources in, typed
//! objects out.
//!
//! | file | owns |
//! |---|---|
//! | [`operator`] | what the flags of the operator say about pods |
//! | [`defaults`] | versions and images that run when the user names none |
//! | [`labels`], [`metadata`] | names, labels, annotations and owners of objects |
//! | [`existing`] | what of an object that is there stays when it is written again |
//! | [`arguments`] | the command line of a container |
//! | [`image`] | the image of a container |
//! | [`reloader`] | the container that reloads configurations |
//! | [`merge`] | containers of users merged into those of the operator |
//! | [`probes`], [`confinement`], [`pod`], [`volume`], [`path`] | parts of containers and pods |
//! | [`statefulset`] | what the StatefulSets of all workloads have alike |
//! | [`storage`] | where a pod keeps its data |
//! | [`tls_assets`] | Secrets with certificates and keys |
//! | [`governing_service`] | the Service that gives pods their names |
//! | [`thanos`] | what all parts of Thanos have alike |
//! | [`prometheus`] | servers; agents use most of it too |
//! | [`agent`] | agents |
//! | [`alertmanager`] | Alertmanagers |
//! | [`thanos_ruler`] | Thanos Rulers |

pub mod arguments;
pub mod confinement;
pub mod defaults;
pub mod existing;
pub mod governing_service;
pub mod image;
pub mod labels;
pub mod merge;
pub mod metadata;
pub mod operator;
pub mod path;
pub mod pod;
pub mod probes;
pub mod reloader;
pub mod statefulset;
pub mod storage;
pub mod thanos;
pub mod tls_assets;
pub mod volume;
