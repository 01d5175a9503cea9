//! How the web server of an operand is protected, and how the peers of an Alertmanager talk to each other: the files that
//! say so, and what a pod must mount to read them. Pure: resources in, text and mounts out.
//!
//! | file | owns |
//! |---|---|
//! | [`server`] | `web-config.yaml`: TLS and HTTP of a web server |
//! | [`cluster`] | `cluster-tls-config.yaml`: mutual TLS between the peers of an Alertmanager |
//! | `mount` | the volume of a file, and the argument that points to it |
//! | `credentials` | volumes of certificates and keys, and the paths of their files |
//! | `check` | what users may not say about TLS |
//! | [`volume_name`] | names of volumes, made from names of other objects |
//! | `hash` | the hash within those names |

mod check;
pub mod cluster;
mod credentials;
mod hash;
mod mount;
pub mod server;
pub mod volume_name;

pub use check::WebConfigError;
pub use mount::Mount;
