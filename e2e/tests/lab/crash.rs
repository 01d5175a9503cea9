//! `up` is killed with everything that it has started. The next `up` repairs the lab, and `down` leaves nothing behind.

use std::time::Duration;

use anyhow::{Context, Result};
use e2e::command::Program;
use e2e::lab::Lab;
use e2e::machine::{self, Footprint};
use e2e::namespace::Namespace;
use e2e::pods::{self, IDLE};
use e2e::volumes::{self, SIZED, claim};
use e2e::wait;

/// A lab for this file only.
const NAME: &str = "crash";

/// Takes the lab down at the end, also when the test fails.
struct Down(Program);

impl Drop for Down {
    fn drop(&mut self) {
        let _ = self.0.run(&["down", "--name", NAME]);
    }
}

/// Kills the lab when `up` prints `stage`, runs `up` again, runs `down`, and checks what is left. Returns a summary.
async fn killed_at(stage: &str) -> Result<String> {
    let command = Program::lab();
    // An earlier attempt may have failed halfway.
    command.run(&["down", "--name", NAME])?;
    let before = Footprint::of(NAME)?;
    assert_eq!(before, Footprint::default(), "the machine has resources of the lab already");
    let down = Down(command.clone());

    let mut up = command.start(&["up", "--name", NAME])?;
    up.line_with(stage, Duration::from_mins(4)).await?;
    up.kill().await?;
    let killed = machine::kill(NAME)?;
    let left = Footprint::of(NAME)?;
    assert_eq!(left.processes, before.processes);
    assert_ne!(left, before, "the lab was killed before it had created anything");

    command.run(&["up", "--name", NAME]).with_context(|| format!("`up` after a crash at `{stage}`"))?;
    Lab::open(NAME).await?.nodes_ready(1).await?;
    command.run(&["down", "--name", NAME])?;
    assert_eq!(Footprint::of(NAME)?, before, "left behind after a crash at `{stage}`");
    drop(down);
    Ok(format!("{killed} processes killed at `{stage}`; `up` and `down` leave nothing of {left:#?}"))
}

#[tokio::test]
async fn killed_when_the_network_is_ready() -> Result<()> {
    println!("{}", killed_at("network ready").await?);
    Ok(())
}

#[tokio::test]
async fn killed_when_the_api_server_is_ready() -> Result<()> {
    println!("{}", killed_at("API server ready").await?);
    Ok(())
}

#[tokio::test]
async fn killed_when_the_nodes_are_ready() -> Result<()> {
    println!("{}", killed_at("nodes ready").await?);
    Ok(())
}

/// Kills the lab while it runs a pod with a volume: then there is most to lose and most to leave behind.
#[tokio::test]
async fn killed_with_a_pod_on_a_volume() -> Result<()> {
    let command = Program::lab();
    command.run(&["down", "--name", NAME])?;
    let before = Footprint::of(NAME)?;
    let down = Down(command.clone());

    command.run(&["up", "--name", NAME])?;
    let lab = Lab::open(NAME).await?;
    let namespace = Namespace::create(&lab, "crash").await?;
    namespace.add(&claim("web", SIZED, "64Mi")).await?;
    let script = format!("[ -e /data/id ] || hostname >/data/id; sync; {IDLE}");
    let spec = pods::with_volume(pods::spec(pods::shell(&script)), "/data", volumes::from_claim("web"));
    namespace.add_ready(&pods::pod("web", spec)).await?;
    namespace.sh("web", "echo kept >>/data/id && sync").await?;

    machine::kill(NAME)?;
    let left = Footprint::of(NAME)?;
    assert_eq!(left.loop_devices.len(), 1, "the volume outlives the processes of the lab: {left:#?}");
    command.run(&["up", "--name", NAME])?;
    wait::object(&namespace.pods(), "web", "to be restarted", |pod| {
        pods::is_ready(pod) && pods::main_status(pod).is_some_and(|main| main.restart_count > 0)
    })
    .await?;
    assert_eq!(namespace.sh("web", "cat /data/id").await?, "web\nkept");

    machine::kill(NAME)?;
    command.run(&["down", "--name", NAME])?;
    assert_eq!(Footprint::of(NAME)?, before);
    drop(down);
    Ok(())
}
