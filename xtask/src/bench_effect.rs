//! Measures how soon a change takes effect, on a separate lab with the default sync period of the kubelet: builds what
//! is needed, starts the lab, runs `bench/effect` on it, and removes the lab in any case.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lab::versions::{Recipe, Versions};
use serde_json::Value;

use crate::programs::{Call, Programs};
use crate::{ChoreResult, environment, test};

/// The lab.
const LAB: &str = "effect";

/// How often the kubelet syncs a pod: its default, and not the shorter period of a lab.
const KUBELET_SYNC: &str = "1m";

/// The name of the Prometheus Operator in the table of the lab.
const PEER: &str = "prometheus-operator";

/// Both operators, both reloaders, and the Prometheus that both start by default.
const IMAGES: &str = "mainstay mainstay-reloader prometheus-operator:0.93.1 prometheus-config-reloader:0.93.1 \
                      prometheus:3.13.1";

/// Runs the benchmark. The exit status says whether every target is met.
pub(crate) async fn run(programs: &Programs, arguments: &[String]) -> Result<ChoreResult> {
    programs.run(&Call::build("bench-effect")).await?;
    let measure = Call::of(environment::binaries()?.join("bench-effect")).arguments(arguments);
    let only_prints = |argument: &String| ["--help", "-h", "--plan"].contains(&argument.as_str());
    if arguments.iter().any(only_prints) {
        return programs.run(&measure).await.map(|()| ChoreResult::Good);
    }
    // Also reports wrong arguments, before the lab is started.
    programs.run(&measure.clone().words("--plan")).await?;
    test::build_lab(programs).await?;
    test::examine(programs, "doctor --fix").await?;
    programs.run(&Call::lab(&format!("image build {IMAGES}"))?).await?;
    let bundle = bundle(programs).await?;

    let measured = match up(programs).await {
        Ok(()) => {
            let call = measure.words(&format!("--lab {LAB} --bundle")).arguments([bundle.to_string_lossy()]);
            let command = environment::binaries()?.join("lab");
            programs.run(&call.with("LAB_BINARY", &command.to_string_lossy())).await
        }
        Err(error) => Err(error.context("the lab could not be started")),
    };
    let removed = down(&Programs::regardless_of_signals()).await;
    measured?;
    removed.context("the lab could not be removed")?;
    Ok(ChoreResult::Good)
}

async fn up(programs: &Programs) -> Result<()> {
    // Removes what an interrupted run left behind.
    down(programs).await?;
    programs.run(&Call::lab(&format!("up --name {LAB} --nodes 1 --kubelet-sync {KUBELET_SYNC}"))?).await
}

async fn down(programs: &Programs) -> Result<()> {
    programs.output(&Call::lab(&format!("down --name {LAB}"))?).await.map(drop)
}

/// The manifest that installs the Prometheus Operator, from its Go module.
async fn bundle(programs: &Programs) -> Result<PathBuf> {
    let call = Call::of("go").words("mod download -json").arguments([module()?]);
    let download: Value = serde_json::from_str(&programs.output(&call).await?).context("go prints JSON")?;
    let directory = download["Dir"].as_str().context("a downloaded module has a directory")?;
    Ok(Path::new(directory).join("bundle.yaml"))
}

/// The module of the Prometheus Operator, in the version of the lab.
fn module() -> Result<String> {
    let versions = Versions::built_in();
    let recipe = versions.program(PEER, versions.default_version(PEER)?)?.recipe;
    let Recipe::Go(go) = recipe else { anyhow::bail!("{PEER} is made from a Go module") };
    let module = go.modules.first().with_context(|| format!("{PEER} has a module"))?;
    Ok(format!("{}@{}", module.path, module.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_are_those_of_the_table_and_of_the_module() {
        let words: Vec<String> = IMAGES.split_whitespace().map(str::to_owned).collect();
        Versions::built_in().select_images(&words).unwrap();
        let module = module().unwrap();
        assert_eq!(module, "github.com/prometheus-operator/prometheus-operator@v0.93.1");
        assert!(IMAGES.contains("prometheus-operator:0.93.1"));
    }
}
