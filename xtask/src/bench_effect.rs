//! How soon a change takes effect, on a separate lab with the kubelet's default sync period: builds what is needed,
//! starts the lab, runs `bench/effect` on it, and removes it in any case.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lab::versions::{Recipe, Versions};
use serde_json::Value;

use crate::programs::{Call, Programs};
use crate::{ChoreResult, environment, test};

/// The lab.
const LAB: &str = "effect";

/// How often the kubelet looks after a pod by itself: its own default, and not the shorter one of a lab.
const KUBELET_SYNC: &str = "1m";

/// The Prometheus Operator in the table of the lab.
const PEER: &str = "prometheus-operator";

/// Both operators, both reloaders, and the Prometheus that both start by default.
const IMAGES: &str = "mainstay mainstay-reloader prometheus-operator:0.93.1 prometheus-config-reloader:0.93.1 \
                      prometheus:3.13.1";

/// Measures. The exit status says whether every target is met.
pub(crate) async fn run(programs: &Programs, arguments: &[String]) -> Result<ChoreResult> {
    programs.run(&Call::build("bench-effect")).await?;
    let measure = Call::of(environment::binaries()?.join("bench-effect")).arguments(arguments);
    let asks_only = |argument: &String| ["--help", "-h", "--plan"].contains(&argument.as_str());
    if arguments.iter().any(asks_only) {
        return programs.run(&measure).await.map(|()| ChoreResult::Good);
    }
    // Also says what is wrong with the arguments, before there is a lab.
    programs.run(&measure.clone().words("--plan")).await?;
    test::build_lab(programs).await?;
    test::examine(programs, "doctor --fix").await?;
    programs.run(&lab(&format!("image build {IMAGES}"))?).await?;
    let bundle = bundle(programs).await?;

    let measured = match up(programs).await {
        Ok(()) => {
            let on_it = measure.words(&format!("--lab {LAB} --bundle")).arguments([bundle.to_string_lossy()]);
            let command = environment::binaries()?.join("lab");
            programs.run(&on_it.with("LAB_BINARY", &command.to_string_lossy())).await
        }
        Err(error) => Err(error.context("the lab did not come up")),
    };
    let gone = down(&Programs::regardless_of_signals()).await;
    measured?;
    gone.context("the lab did not go away")?;
    Ok(ChoreResult::Good)
}

async fn up(programs: &Programs) -> Result<()> {
    // What an interrupted run left behind must not speak for this one.
    down(programs).await?;
    programs.run(&lab(&format!("up --name {LAB} --nodes 1 --kubelet-sync {KUBELET_SYNC}"))?).await
}

async fn down(programs: &Programs) -> Result<()> {
    programs.output(&lab(&format!("down --name {LAB}"))?).await.map(drop)
}

fn lab(words: &str) -> Result<Call> {
    Ok(Call::of(environment::binaries()?.join("lab")).words(words))
}

/// The manifest with which the Prometheus Operator is installed, as its Go module has it.
async fn bundle(programs: &Programs) -> Result<PathBuf> {
    let call = Call::of("go").words("mod download -json").arguments([module()?]);
    let said: Value = serde_json::from_str(&programs.output(&call).await?).context("go speaks JSON")?;
    let directory = said["Dir"].as_str().context("a module that was downloaded has a directory")?;
    Ok(Path::new(directory).join("bundle.yaml"))
}

/// The module of the Prometheus Operator, at the version of the lab.
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
