//! The `lab` command: reads the command line and calls the module that does the work.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use lab::args::{self, Arguments, Command};
use lab::console::{Progress, line, note, table};
use lab::paths::Cache;
use lab::programs::Builder;
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
        Command::Kubectl(kubectl) => return run_kubectl(&existing(&kubectl.name)?, &kubectl.arguments),
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

async fn up(options: &args::Up) -> Result<()> {
    let mut progress = Progress::start();
    let findings = doctor::diagnose(&doctor::inspect());
    doctor::ensure_supported(&findings, options.control_plane_only.is_none())?;
    if !findings.is_empty() && options.control_plane_only.is_none() {
        note(doctor::report(&findings).trim_end());
    }
    progress.say("machine checked");
    if let Some(runs) = options.timing {
        return timing::measure(options, runs).await;
    }
    let lab = timing::bring_up(options, &mut progress).await?;
    print_next_steps(&lab, &progress);
    Ok(())
}

fn print_next_steps(lab: &Lab, progress: &Progress) {
    let name = lab.name.as_str();
    let (kubectl, lab_option) = if name == "default" {
        ("cargo lab kubectl".into(), String::new())
    } else {
        (format!("cargo lab kubectl --lab {name}"), format!(" --name {name}"))
    };
    line(format!("lab `{name}` is up after {}", progress.elapsed()));
    line(table(&[
        vec!["show nodes and pods".into(), format!("{kubectl} get nodes,pods -A")],
        vec!["use your own kubectl".into(), format!("export KUBECONFIG={}", lab.kubeconfig().display())],
        vec!["stop".into(), format!("cargo lab down{lab_option}")],
    ]));
}

fn down(options: &args::Down) -> Result<()> {
    control_plane::remove_orphans();
    let names = if options.all { state::names()? } else { vec![LabName::new(&options.lab.name)?] };
    for name in names {
        let mut progress = Progress::start();
        let _lock = state::lock(&name)?;
        cluster::down(&name, options.keep_state)?;
        let kept = if options.keep_state { ", its data is kept" } else { "" };
        progress.say(format!("lab `{}` is down{kept}", name.as_str()));
    }
    Ok(())
}

fn run_kubectl(lab: &Lab, arguments: &[String]) -> Result<ExitCode> {
    let versions = Versions::built_in();
    let kubernetes = versions.program("kubernetes", &lab.shape.kubernetes)?;
    let kubectl = Builder::new(Cache::of_user()).directory(&kubernetes).join("kubectl");
    let code =
        shell::call(kubectl).environment("KUBECONFIG", lab.kubeconfig()).args(arguments).interactive()?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn build(options: &args::Build) -> Result<()> {
    if options.programs.is_empty() {
        return cluster::build(options.kubernetes.as_deref(), options.control_plane_only);
    }
    let programs = Versions::built_in().select_programs(&options.programs)?;
    Builder::new(Cache::of_user()).build(&programs)
}

fn image(options: &args::ImageCommand) -> Result<()> {
    let (versions, builder) = (Versions::built_in(), Builder::new(Cache::of_user()));
    match options {
        args::ImageCommand::Build { images } => {
            images::build(&builder, &versions, &versions.select_images(images)?)
        }
        args::ImageCommand::List => {
            line(table(&images::list(&builder, &versions)).trim_end());
            Ok(())
        }
    }
}

async fn node(options: &args::NodeCommand) -> Result<ExitCode> {
    match options {
        args::NodeCommand::Stop { node, lab, keep_pods } => {
            let lab = existing(&lab.name)?;
            let _lock = state::lock(&lab.name)?;
            cluster::stop_node(&lab, node, *keep_pods)?;
            line(format!("node {node} is stopped"));
        }
        args::NodeCommand::Start { node, lab } => {
            let lab = existing(&lab.name)?;
            let _lock = state::lock(&lab.name)?;
            let client = kubeconfig::client(&lab.kubeconfig()).await?;
            cluster::start_node(&lab, node, &client).await?;
            line(format!("node {node} is ready"));
        }
        args::NodeCommand::Drain { node, lab } => {
            let lab = existing(&lab.name)?;
            let name = cluster::node_name(&lab, node)?;
            let arguments = [
                "drain",
                &name,
                "--ignore-daemonsets",
                "--delete-emptydir-data",
                "--force",
                "--timeout=300s",
            ];
            return run_kubectl(&lab, &arguments.map(str::to_owned));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn logs(options: &args::Logs) -> Result<()> {
    let lab = existing(&options.lab.name)?;
    let records = lab::process::ProcessRecords::below(&lab.directory);
    let known = || format!("components: {}", records.names().join(", "));
    match &options.component {
        None => line(known()),
        Some(component) => {
            let log = std::fs::read_to_string(records.log(component))
                .with_context(|| format!("no log of `{component}`; {}", known()))?;
            line(log.trim_end());
        }
    }
    Ok(())
}

fn doctor(options: &args::Doctor) -> Result<ExitCode> {
    if options.fix {
        doctor::fix(&doctor::inspect())?;
    }
    let findings = doctor::diagnose(&doctor::inspect());
    line(doctor::report(&findings).trim_end());
    // A lab runs without volumes of the class `sized` too.
    Ok(if doctor::ensure_supported(&findings, true).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
