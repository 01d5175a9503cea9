//! The `lab` command: reads the command line and calls the module that does the work.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use lab::args::{self, Arguments, Command};
use lab::console::{Progress, line, note, table};
use lab::paths::Cache;
use lab::programs::Workshop;
use lab::state::{self, Lab, LabName};
use lab::versions::Versions;
use lab::volume::Volumes;
use lab::{cluster, control_plane, doctor, images, kubeconfig, provisioner, shell, status, timing};

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse().command).await {
        Ok(code) => code,
        Err(error) => {
            note(format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Up(up) => self::up(&up).await?,
        Command::Down(down) => self::down(&down)?,
        Command::Status(lab) => line(status::report(&lab.name)?.trim_end()),
        Command::Kubeconfig(lab) => line(existing(&lab.name)?.kubeconfig().display().to_string()),
        Command::Kubectl(kubectl) => return pass_on(&existing(&kubectl.name)?, &kubectl.arguments),
        Command::Build(build) => self::build(&build)?,
        Command::Image(image) => self::image(&image)?,
        Command::Node(node) => return self::node(&node).await,
        Command::Logs(logs) => self::logs(&logs)?,
        Command::Doctor(doctor) => return self::doctor(&doctor),
        Command::Registry(registry) => {
            images::registry::serve(images::Store::new(&Cache::of_user()), registry.listen).await?;
        }
        Command::Provisioner(lab) => {
            let lab = existing(&lab.name)?;
            let client = kubeconfig::client(&lab.kubeconfig()).await?;
            provisioner::run(client, Volumes::at(lab.directory.join("volumes"))).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn existing(name: &str) -> Result<Lab> {
    Lab::existing(&LabName::new(name)?)
}

async fn up(asked: &args::Up) -> Result<()> {
    let mut progress = Progress::start();
    let findings = doctor::judge(&doctor::look());
    doctor::admit(&findings, asked.control_plane_only.is_none())?;
    if !findings.is_empty() && asked.control_plane_only.is_none() {
        note(doctor::report(&findings).trim_end());
    }
    progress.say("machine checked");
    if let Some(runs) = asked.timing {
        return timing::measure(asked, runs).await;
    }
    let lab = timing::bring_up(asked, &mut progress).await?;
    say_how_to_go_on(&lab, &progress);
    Ok(())
}

fn say_how_to_go_on(lab: &Lab, progress: &Progress) {
    let name = lab.name.as_str();
    let (kubectl, lab_option) = if name == "default" {
        ("cargo lab kubectl".into(), String::new())
    } else {
        (format!("cargo lab kubectl --lab {name}"), format!(" --name {name}"))
    };
    line(format!("lab `{name}` is up after {}", progress.elapsed()));
    line(table(&[
        vec!["look around".into(), format!("{kubectl} get nodes,pods -A")],
        vec!["your own kubectl".into(), format!("export KUBECONFIG={}", lab.kubeconfig().display())],
        vec!["stop".into(), format!("cargo lab down{lab_option}")],
    ]));
}

fn down(asked: &args::Down) -> Result<()> {
    control_plane::remove_orphans();
    let names = if asked.all { state::names()? } else { vec![LabName::new(&asked.lab.name)?] };
    for name in names {
        let mut progress = Progress::start();
        let _held = state::lock(&name)?;
        cluster::down(&name, asked.keep_state)?;
        let kept = if asked.keep_state { ", its data is kept" } else { "" };
        progress.say(format!("lab `{}` is down{kept}", name.as_str()));
    }
    Ok(())
}

fn pass_on(lab: &Lab, arguments: &[String]) -> Result<ExitCode> {
    let versions = Versions::built_in();
    let kubernetes = versions.program("kubernetes", &lab.shape.kubernetes)?;
    let kubectl = Workshop::new(Cache::of_user()).directory(&kubernetes).join("kubectl");
    let code =
        shell::call(kubectl).environment("KUBECONFIG", lab.kubeconfig()).args(arguments).interactive()?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn build(asked: &args::Build) -> Result<()> {
    if asked.programs.is_empty() {
        return cluster::build(asked.kubernetes.as_deref(), asked.control_plane_only);
    }
    let programs = Versions::built_in().select_programs(&asked.programs)?;
    Workshop::new(Cache::of_user()).build(&programs)
}

fn image(asked: &args::Image) -> Result<()> {
    let (versions, workshop) = (Versions::built_in(), Workshop::new(Cache::of_user()));
    match asked {
        args::Image::Build { images } => {
            images::build(&workshop, &versions, &versions.select_images(images)?)
        }
        args::Image::List => {
            line(table(&images::list(&workshop, &versions)).trim_end());
            Ok(())
        }
    }
}

async fn node(asked: &args::Node) -> Result<ExitCode> {
    match asked {
        args::Node::Stop { node, lab, keep_pods } => {
            let lab = existing(&lab.name)?;
            let _held = state::lock(&lab.name)?;
            cluster::stop_node(&lab, node, *keep_pods)?;
            line(format!("node {node} is stopped"));
        }
        args::Node::Start { node, lab } => {
            let lab = existing(&lab.name)?;
            let _held = state::lock(&lab.name)?;
            let client = kubeconfig::client(&lab.kubeconfig()).await?;
            cluster::start_node(&lab, node, &client).await?;
            line(format!("node {node} is ready"));
        }
        args::Node::Drain { node, lab } => {
            let lab = existing(&lab.name)?;
            let name = cluster::node_name(&lab, node)?;
            let words = [
                "drain",
                &name,
                "--ignore-daemonsets",
                "--delete-emptydir-data",
                "--force",
                "--timeout=300s",
            ];
            return pass_on(&lab, &words.map(str::to_owned));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn logs(asked: &args::Logs) -> Result<()> {
    let lab = existing(&asked.lab.name)?;
    let ledger = lab::process::Ledger::below(&lab.directory);
    let known = || format!("components: {}", ledger.names().join(", "));
    match &asked.component {
        None => line(known()),
        Some(component) => {
            let log = std::fs::read_to_string(ledger.log(component))
                .with_context(|| format!("no log of `{component}`; {}", known()))?;
            line(log.trim_end());
        }
    }
    Ok(())
}

fn doctor(asked: &args::Doctor) -> Result<ExitCode> {
    if asked.fix {
        doctor::fix(&doctor::look())?;
    }
    let findings = doctor::judge(&doctor::look());
    line(doctor::report(&findings).trim_end());
    // Without sized volumes a lab still runs.
    Ok(if doctor::admit(&findings, true).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
