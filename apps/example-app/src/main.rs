//! The program `example-app`: reads the command line and calls the library. No decisions here.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use example_app::args::{Arguments, Command, MigrateArguments, ServeArguments};
use example_app::migrate::{Migration, Outcome};
use example_app::serve::Server;
use example_app::version::Version;
use example_app::volume::Volume;
use example_app::{console, leader};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.command {
        Command::Serve(serve_arguments) => serve(serve_arguments, arguments.app_version).await,
        Command::Migrate(migrate_arguments) => migrate(&migrate_arguments, arguments.app_version),
        Command::Check { url } => {
            let answer = leader::get(&url, Duration::from_secs(5)).await?;
            ensure!(answer.status.is_success(), "{url} answered {}", answer.status);
            Ok(())
        }
    }
}

async fn serve(arguments: ServeArguments, version: Version) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let mut server = Server::start(arguments, version).await?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        () = server.ended() => {}
    }
    server.stop().await;
    Ok(())
}

fn migrate(arguments: &MigrateArguments, version: Version) -> Result<()> {
    let mut migration = Migration::of(Volume::at(&arguments.data));
    let outcome = if arguments.discard {
        migration.discard()
    } else if arguments.back {
        migration.back(arguments.to, arguments.drop_new_writes)
    } else {
        migration.forward(arguments.to.unwrap_or(version))
    }?;
    console::print(match outcome {
        Outcome::Empty => "the volume is empty: there is nothing to migrate".into(),
        Outcome::AlreadyThere { generation } => format!("nothing to do: {generation} is in use"),
        Outcome::Switched { from, to, items, revision } => {
            format!("{to} is in use, with {items} items at revision {revision}; {from} is kept until `migrate --discard`")
        }
        Outcome::Discarded { generations } => format!("removed {} generations that were not in use", generations.len()),
    })
    .context("cannot write to standard output")
}
