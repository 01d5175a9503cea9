//! The lab that a group runs on: created for each run, and removed afterwards in any case.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use lab::console::line;

use super::group::Group;
use super::suite::Suite;
use crate::environment;
use crate::programs::{Call, Programs};

/// What the suite was written for: it waits for changed Secrets not much longer than this.
const KUBELET_SYNC: &str = "10s";

/// How the suite finds the pods of an operator.
const OPERATOR: &str = "app.kubernetes.io/name=prometheus-operator";

/// A lab by its name.
#[derive(Debug, Clone)]
pub(crate) struct Cluster<'a> {
    /// Runs what may be stopped.
    pub(crate) programs: &'a Programs,
    /// The name of the lab.
    pub(crate) name: &'a str,
}

/// Keeps others from a lab until the returned file is dropped: two runs on one would take it from each other.
pub(crate) fn hold(name: &str, place: &Path) -> Result<File> {
    let path = place.join(format!("{name}.lock"));
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    file.try_lock()
        .map_err(|_| anyhow!("the lab {name} is in use by another run: --lab gives this one its own"))?;
    Ok(file)
}

/// A call of the lab.
pub(crate) fn lab(words: &str) -> Result<Call> {
    Ok(Call::of(environment::binaries()?.join("lab")).words(words))
}

impl Cluster<'_> {
    /// Does something on a new lab, which is gone afterwards, also after Ctrl-C.
    pub(crate) async fn with<T>(
        &self,
        group: &Group,
        suite: &Suite,
        work: impl AsyncFnOnce() -> Result<T>,
    ) -> Result<T> {
        let done = match self.up(group, suite).await {
            Ok(()) => work().await,
            Err(error) => Err(error.context("the lab of the tests did not come up")),
        };
        let gone = self.down(&Programs::regardless_of_signals()).await;
        let done = done?;
        gone.context("the lab of the tests did not go away")?;
        Ok(done)
    }

    async fn up(&self, group: &Group, suite: &Suite) -> Result<()> {
        // What an interrupted run left behind must not speak for this one.
        self.down(self.programs).await?;
        let (name, nodes) = (self.name, group.nodes);
        let up = lab(&format!("up --name {name} --nodes {nodes} --kubelet-sync {KUBELET_SYNC}"))?;
        self.programs.output(&up).await?;
        if group.definitions_first {
            let definitions = suite.definitions().display().to_string();
            let create = self.kubectl("create -f")?.arguments([definitions]);
            self.programs.output(&create).await.context("the definitions could not be created")?;
        }
        line(format!("   lab {name} is up, nodes: {nodes}"));
        Ok(())
    }

    async fn down(&self, programs: &Programs) -> Result<()> {
        programs.output(&lab(&format!("down --name {}", self.name))?).await.map(drop)
    }

    fn kubectl(&self, words: &str) -> Result<Call> {
        lab(&format!("kubectl --lab {} {words}", self.name))
    }

    /// Where the credentials for it are.
    pub(crate) async fn kubeconfig(&self) -> Result<PathBuf> {
        let said = self.programs.output(&lab(&format!("kubeconfig --name {}", self.name))?).await?;
        Ok(PathBuf::from(said.trim()))
    }

    /// Keeps what can still be seen after a failure. The suite keeps more, unless it was ended before it could.
    pub(crate) async fn keep_traces(&self, directory: &Path) -> Result<()> {
        std::fs::create_dir_all(directory)?;
        let keep = async |words: &str, file: &str| -> Result<String> {
            let said = self.programs.output(&self.kubectl(words)?).await?;
            std::fs::write(directory.join(file), &said)?;
            Ok(said)
        };
        keep("get pods -A -o wide", "pods").await?;
        keep("get events -A --sort-by=.lastTimestamp", "events").await?;
        let columns = "-o jsonpath={range.items[*]}{.metadata.namespace}/{.metadata.name}{\"\\n\"}{end}";
        let pods = keep(&format!("get pods -A -l {OPERATOR} {columns}"), "operators").await?;
        for (namespace, pod) in pods.lines().filter_map(|pod| pod.split_once('/')) {
            keep(&format!("logs -n {namespace} {pod}"), &format!("{namespace}-{pod}.log")).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_is_held_by_one_run_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let held = hold("one", directory.path()).unwrap();
        let refused = hold("one", directory.path()).unwrap_err().to_string();
        assert_eq!(refused, "the lab one is in use by another run: --lab gives this one its own");
        hold("two", directory.path()).unwrap();
        drop(held);
        hold("one", directory.path()).unwrap();
    }
}
