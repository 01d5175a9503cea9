//! The cluster of the demo, and how to reach it.

use anyhow::{Context, Result};

use crate::environment;
use crate::programs::{Call, Programs};

use super::{APPLICATION, INSTALL, MONITORING};

/// The cluster that the demo shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cluster {
    /// The cluster of a kubeconfig context.
    Context(String),
    /// A lab.
    Lab,
}

impl Cluster {
    /// A call of kubectl on it.
    pub(super) fn kubectl(&self, words: &str) -> Result<Call> {
        Ok(match self {
            Self::Context(context) => Call::of("kubectl").arguments(["--context", context]).words(words),
            Self::Lab => Call::lab("kubectl")?.words(words),
        })
    }

    /// How to stop.
    pub(super) fn how_to_stop(&self) -> String {
        match self {
            Self::Lab => "To stop: `make lab-down` removes the lab from this machine completely.".into(),
            Self::Context(context) => {
                let kubectl = format!("kubectl --context {context}");
                format!(
                    "To stop: `{kubectl} delete -f {MONITORING} -f {APPLICATION}`,\nthen `{kubectl} delete -f {INSTALL}` and \
                     `{kubectl} -n kube-system delete service kubelet`."
                )
            }
        }
    }

    /// How to type a call of kubectl on it.
    pub(super) fn typed(&self) -> String {
        match self {
            Self::Context(context) => format!("kubectl --context {context}"),
            Self::Lab => "cargo lab kubectl".into(),
        }
    }

    /// Applies a file of this workspace.
    pub(super) async fn apply(&self, programs: &Programs, file: &str) -> Result<()> {
        let path = environment::workspace().join(file);
        let call = self.kubectl("apply --server-side -f")?.arguments([path.to_string_lossy()]);
        programs.output(&call).await.with_context(|| format!("{file} could not be applied")).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_uses_the_chosen_context() {
        let mine = Cluster::Context("kind-mine".into());
        assert_eq!(mine.kubectl("get nodes").unwrap().shown(), "kubectl --context kind-mine get nodes");
        let deletes = mine.how_to_stop().matches("kubectl").count();
        assert_eq!(mine.how_to_stop().matches("kubectl --context kind-mine ").count(), deletes);
    }
}
