//! The flags of the Prometheus Operator and of its stand-alone webhook, read as those programs read them. Pure: arguments
//! in, settings out.
//!
//! Two ways in, with the same meaning:
//! - [`Flags::parse`] is the peer's command line: what it does not know is refused in the peer's words. Flags that only
//!   this program has are named by the caller and come back apart.
//! - [`Flags::take`] picks the peer's flags out of any command line and leaves the rest to another reader.
//!
//! Both only return flags with which the peer would start. [`Flags::help`] and [`Flags::reference`] are written from the
//! lists that parsing uses. [`webhook::Flags`] has the same for the stand-alone webhook.
//!
//! ```
//! use operator_monitoring::flags::{Command, Flags};
//!
//! let Command::Start(start) = Flags::parse(&["-namespaces=a,b", "--labels", "team=x"], &[])? else { unreachable!() };
//! assert!(start.flags.scope.shared().contains("a"));
//! assert_eq!(start.flags.workload_operator().labels["team"], "x");
//! # Ok::<(), operator_monitoring::flags::Error>(())
//! ```
//!
//! | file | owns |
//! |---|---|
//! | [`cluster`], [`kubelet`], [`reloader`], [`images`], [`scope`], [`objects`], [`gates`], [`memory`], [`log`], [`web`] | the flags, a file a group: fields, defaults and words |
//! | [`namespaces`], [`selector`], [`tls`] | what some of them mean |
//! | `flags`, [`webhook`] | all groups of a program: the only lists of them; what is checked when it starts |
//! | [`command`], [`version`] | what a command line asks for |
//! | `line`, `take` | command lines walked over, the strict way and the other |
//! | `flag`, `value` | what a flag is, and what can be written behind it |
//! | `help`, `reference` | what is written from the lists |
//! | `go` | texts as Go reads them |
//! | `error` | why a command line is refused |

pub mod cluster;
pub mod command;
mod error;
mod flag;
pub mod gates;
mod go;
mod help;
pub mod images;
pub mod kubelet;
mod line;
pub mod log;
pub mod memory;
pub mod namespaces;
pub mod objects;
mod operator;
mod reference;
pub mod reloader;
pub mod scope;
pub mod selector;
mod take;
#[cfg(test)]
mod tests;
pub mod tls;
mod value;
pub mod version;
pub mod web;
pub mod webhook;

pub use command::{Command, OwnFlag, Start};
pub use error::Error;
pub use gates::{FeatureGates, Gate};
pub use namespaces::Namespaces;
pub use operator::Flags;
pub use selector::{FieldSelector, LabelSelector};
