//! Whether each pod runs the configuration that was written, when pods are touched so that they see it, and which object
//! is the culprit if the operand refuses it. Pure, but for `ask`, which asks a pod over HTTP.
//!
//! | file | owns |
//! |---|---|
//! | [`subject`] | objects that a configuration is made of, and the names that they have in it |
//! | [`fingerprint`] | the hashes that our reloader tells, of what was written |
//! | [`exposition`] | the few metrics of a reloader that matter |
//! | [`answer`] | what a pod says, ours and the peer's |
//! | [`offset`] | how far the clock of a pod is from ours |
//! | [`judge`] | what an answer means for what was written |
//! | [`condition`] | the condition `ConfigurationLoaded` of all pods together |
//! | [`ask`] | asking |
//! | [`reach`] | whom to ask, where nobody may answer |
//! | [`pace`] | when pods are touched |
//! | [`parts`] | which lines of a configuration are whose |
//! | [`culprit`] | whom an error text names |
//! | [`words`] | what may be repeated of an error text |
//! | [`bisect`] | who it is when a text names nobody |
//! | [`operand`] | who refuses: a program, in the state in which a workload runs it |
//! | [`verdicts`] | what is remembered of refused objects |
//! | [`doubt`] | what is left out, and for how long |
//!
//! The way of a refusal: [`culprit::find`] names suspects; [`bisect::Search`] begins with them, goes on with what
//! changed and ends with everything, and each of its sets is written and judged; what it finds becomes a
//! [`verdicts::Refusal`], and the object stays out until it, or the operand, is another. [`doubt::Doubt`] holds these
//! together.

pub mod answer;
pub mod ask;
pub mod bisect;
pub mod condition;
pub mod culprit;
pub mod doubt;
pub mod exposition;
pub mod fingerprint;
pub mod judge;
pub mod offset;
pub mod operand;
pub mod pace;
pub mod parts;
pub mod reach;
pub mod subject;
pub mod verdicts;
pub mod words;
