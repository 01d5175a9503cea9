//! Measures what rendering configurations costs, with our generator and with that of the Prometheus Operator, on the
//! same inputs. A figure counts only if both wrote the same bytes. It includes the validation of the inputs, but not
//! reading them.

mod figures;
mod inputs;
mod monitors;
mod peer;
mod rules;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use table::Row;

/// What rendering costs, compared with the Prometheus Operator
#[derive(Debug, Parser)]
#[command(name = "bench-render")]
struct Arguments {
    /// The peer's generator: the program that is built from `bench/peer`
    #[arg(long, value_name = "FILE")]
    peer: PathBuf,
    /// Numbers of ServiceMonitors, with one measurement for each
    #[arg(long, value_delimiter = ',', default_value = "100,1000,5000,10000")]
    sizes: Vec<usize>,
    /// Numbers of PrometheusRules, with one measurement for each
    #[arg(long, value_delimiter = ',', default_value = "1000")]
    rules: Vec<usize>,
    /// Number of rounds of each measurement
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            table::print_error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns whether every target is met.
fn run(arguments: &Arguments) -> Result<bool> {
    ensure!(
        arguments.peer.is_file(),
        "{} does not exist: `make bench-render` builds it",
        arguments.peer.display()
    );
    let mut rows = Vec::new();
    for size in &arguments.sizes {
        rows.push(
            measure(arguments, "ServiceMonitors", *size)
                .with_context(|| format!("{size} ServiceMonitors"))?,
        );
    }
    for size in &arguments.rules {
        rows.push(
            measure(arguments, "PrometheusRules", *size)
                .with_context(|| format!("{size} PrometheusRules"))?,
        );
    }
    Ok(table::print(&rows))
}

fn measure(arguments: &Arguments, what: &'static str, size: usize) -> Result<Row> {
    let directory = tempfile::tempdir()?;
    let write = |name: &str, value: &serde_json::Value| -> Result<()> {
        Ok(std::fs::write(directory.path().join(name), serde_json::to_vec(value)?)?)
    };
    write("prometheus.json", &inputs::server())?;
    let ours = if what == "ServiceMonitors" {
        write("secrets.json", &inputs::secrets())?;
        write("servicemonitors.json", &inputs::monitors(size))?;
        monitors::measure(size, arguments.rounds)?
    } else {
        write("rules.json", &inputs::rules(size))?;
        rules::measure(size, arguments.rounds)?
    };
    let mode = if what == "ServiceMonitors" { "monitors" } else { "rules" };
    let peer = peer::measure(&arguments.peer, directory.path(), mode, arguments.rounds)?;
    let same = first_difference(&peer.text, &ours.text);
    ensure!(peer.text == ours.text, "the outputs differ from byte {same} on");
    Ok(Row { what, size, ours, peer: peer.figures })
}

fn first_difference(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}
