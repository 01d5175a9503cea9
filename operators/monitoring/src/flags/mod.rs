//! The flags of the Prometheus Operator and of its stand-alone webhook, parsed as those programs parse them. Pure: arguments
//! in, settings out.
//!
//! Two functions with the same meaning:
//! - [`Program::parse`] parses the peer's command line and rejects everything else with the peer's errors. Flags that only
//!   this program has are named by the caller and returned apart.
//! - [`OperatorFlags::take`] takes the peer's flags out of any command line and leaves the rest to another parser.
//!
//! Both return only flags with which the peer would start. [`Program::help`] and [`Program::reference`] are written from
//! the lists that parsing uses.
//!
//! ```
//! use operator_monitoring::flags::{Command, OperatorFlags, Program};
//!
//! let arguments = ["-namespaces=a,b", "--labels", "team=x"];
//! let Command::Start(start) = OperatorFlags::parse(&arguments, &[])? else { unreachable!() };
//! assert!(start.flags.scope.namespaces.contains("a"));
//! assert_eq!(start.flags.operator_config().labels["team"], "x");
//! # Ok::<(), operator_monitoring::flags::FlagError>(())
//! ```
//!
//! | file | owns |
//! |---|---|
//! | [`cluster`], [`scope`], [`objects`], [`kubelet`], [`gates`], [`web`], [`log`] | the flags, a file a topic: settings, defaults and help |
//! | [`selector`], [`tls`] | what some of them mean |
//! | `operator`, [`webhook`] | the flags of each program: the only lists of them; what is checked before it starts |
//! | `program` | what a command line requests |
//! | `line` | command lines as Go parses them |
//! | `flag`, `value` | what a flag is, and the types of values |
//! | `help` | what is written from the lists |
//! | `error` | why a command line is rejected |

pub mod cluster;
mod error;
mod flag;
pub mod gates;
mod help;
pub mod kubelet;
mod line;
pub mod log;
pub mod objects;
mod operator;
mod program;
pub mod scope;
pub mod selector;
#[cfg(test)]
mod tests;
pub mod tls;
mod value;
pub mod web;
pub mod webhook;

pub use error::FlagError;
pub use gates::{FeatureGates, Gate};
pub use line::OwnFlag;
pub use operator::OperatorFlags;
pub use program::{Command, Program, Start};
pub use selector::{FieldSelector, LabelSelector};
