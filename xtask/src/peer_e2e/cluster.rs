//! The lab that a group runs on: created for each run, and removed afterwards in any case.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use lab::console::line;

use super::group::Group;
use super::suite::Suite;
use crate::programs::{Call, Programs};

/// The sync period of the kubelet that the suite expects: it waits for changed Secrets not much longer than this.
const KUBELET_SYNC: &str = "10s";

/// The label by which the suite finds the pods of an operator.
const OPERATOR: &str = "app.kubernetes.io/name=prometheus-operator";

/// A lab by its name.
#[derive(Debug, Clone)]
pub(crate) struct Cluster<'a> {
    /// Runs programs that a signal stops.
    pub(crate) programs: &'a Programs,
    /// The name of the lab.
    pub(crate) name: &'a str,
}

/// Locks a lab until the returned file is dropped, so that two runs do not use the same lab.
pub(crate) fn lock(name: &str, directory: &Path) -> Result<File> {
    let path = directory.join(format!("{name}.lock"));
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    file.try_lock()
        .map_err(|_| anyhow!("the lab {name} is in use by another run: use another name with --lab"))?;
    Ok(file)
}

impl Cluster<'_> {
    /// Does some work on a new lab, and removes the lab afterwards, also after Ctrl-C.
    pub(crate) async fn with<T>(
        &self,
        group: &Group,
        suite: &Suite,
        work: impl AsyncFnOnce() -> Result<T>,
    ) -> Result<T> {
        let done = match self.up(group, suite).await {
            Ok(()) => work().await,
            Err(error) => Err(error.context("the lab of the tests could not be started")),
        };
        let removed = self.down(&Programs::regardless_of_signals()).await;
        let done = done?;
        removed.context("the lab of the tests could not be removed")?;
        Ok(done)
    }

    async fn up(&self, group: &Group, suite: &Suite) -> Result<()> {
        // Removes what an interrupted run left behind.
        self.down(self.programs).await?;
        let (name, nodes) = (self.name, group.nodes);
        let up = Call::lab(&format!("up --name {name} --nodes {nodes} --kubelet-sync {KUBELET_SYNC}"))?;
        self.programs.output(&up).await?;
        if group.definitions_first {
            let definitions = suite.definitions().display().to_string();
            let create = self.kubectl("create -f")?.arguments([definitions]);
            self.programs.output(&create).await.context("the CRDs could not be created")?;
        }
        line(format!("   lab {name} is up, nodes: {nodes}"));
        Ok(())
    }

    async fn down(&self, programs: &Programs) -> Result<()> {
        programs.output(&Call::lab(&format!("down --name {}", self.name))?).await.map(drop)
    }

    fn kubectl(&self, words: &str) -> Result<Call> {
        Call::lab(&format!("kubectl --lab {} {words}", self.name))
    }

    /// The kubeconfig of the lab.
    pub(crate) async fn kubeconfig(&self) -> Result<PathBuf> {
        let path = self.programs.output(&Call::lab(&format!("kubeconfig --name {}", self.name))?).await?;
        Ok(PathBuf::from(path.trim()))
    }

    /// Stores pods, events and logs after a failure. The suite stores more, unless it was ended before.
    pub(crate) async fn save_state(&self, directory: &Path) -> Result<()> {
        std::fs::create_dir_all(directory)?;
        let save = async |words: &str, file: &str| -> Result<String> {
            let printed = self.programs.output(&self.kubectl(words)?).await?;
            std::fs::write(directory.join(file), &printed)?;
            Ok(printed)
        };
        save("get pods -A -o wide", "pods").await?;
        save("get events -A --sort-by=.lastTimestamp", "events").await?;
        let columns = "-o jsonpath={range.items[*]}{.metadata.namespace}/{.metadata.name}{\"\\n\"}{end}";
        let pods = save(&format!("get pods -A -l {OPERATOR} {columns}"), "operators").await?;
        for (namespace, pod) in pods.lines().filter_map(|pod| pod.split_once('/')) {
            save(&format!("logs -n {namespace} {pod}"), &format!("{namespace}-{pod}.log")).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_is_locked_by_one_run_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let guard = lock("one", directory.path()).unwrap();
        let refused = lock("one", directory.path()).unwrap_err().to_string();
        assert_eq!(refused, "the lab one is in use by another run: use another name with --lab");
        lock("two", directory.path()).unwrap();
        drop(guard);
        lock("one", directory.path()).unwrap();
    }
}
