//! The cluster of the demo, and how to reach it.

use anyhow::{Context, Result};

use crate::environment;
use crate::programs::{Call, Programs};

use super::{APPLICATION, INSTALL, MONITORING};

/// The cluster that the demo shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cluster {
    /// The one that a context of the kubeconfig names.
    Context(String),
    /// A lab of ours.
    Lab,
}

impl Cluster {
    /// A call of kubectl on it.
    pub(super) fn kubectl(&self, words: &str) -> Result<Call> {
        Ok(match self {
            Self::Context(context) => Call::of("kubectl").arguments(["--context", context]).words(words),
            Self::Lab => Call::of(environment::binaries()?.join("lab")).words("kubectl").words(words),
        })
    }

    /// How to stop.
    pub(super) fn how_to_stop(&self) -> String {
        match self {
            Self::Lab => {
                "Stop: `make lab-down` ends the lab and leaves nothing behind on this machine.".into()
            }
            Self::Context(context) => {
                let kubectl = format!("kubectl --context {context}");
                format!(
                    "Stop: `{kubectl} delete -f {MONITORING} -f {APPLICATION}`,\nthen `{kubectl} delete -f {INSTALL}` and \
                     `{kubectl} -n kube-system delete service kubelet`."
                )
            }
        }
    }

    /// How a person calls kubectl on it.
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
    fn a_context_of_ones_own_is_never_mixed_up_with_the_lab() {
        let mine = Cluster::Context("kind-mine".into());
        assert_eq!(mine.kubectl("get nodes").unwrap().shown(), "kubectl --context kind-mine get nodes");
        let deletes = mine.how_to_stop().matches("kubectl").count();
        assert_eq!(mine.how_to_stop().matches("kubectl --context kind-mine ").count(), deletes);
    }
}
