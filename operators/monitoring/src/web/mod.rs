//! TLS and HTTP settings of web servers, and TLS between the peers of an Alertmanager: the configuration files, and the
//! volumes that pods need to read them. Pure: resources in, text and mounts out.
//!
//! | file | owns |
//! |---|---|
//! | [`server`] | `web-config.yaml`: TLS and HTTP of a web server |
//! | [`cluster`] | `cluster-tls-config.yaml`: mutual TLS between the peers of an Alertmanager |
//! | `mount` | the volume of a configuration file, and the argument that points to it |
//! | `credentials` | the volumes of certificates and keys, and the paths of their files |
//! | `check` | checks of TLS settings |
//! | [`volume_name`] | names of volumes, made from names of objects |
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
