//! Our monitoring operators and the Prometheus Operator on the same API server: builds releases of both and the program that
//! measures them, and runs it.

use anyhow::Result;
use lab::paths::Cache;
use lab::programs::Workshop;
use lab::versions::{Program, Versions};

use crate::programs::{Call, Programs};
use crate::{ChoreResult, environment, test};

/// Measures. The exit status says whether every target is met.
pub(crate) async fn run(programs: &Programs, arguments: &[String]) -> Result<ChoreResult> {
    let bench = environment::binaries()?.join("bench-monitoring").display().to_string();
    programs.run(&Call::of("go").words("build -C bench/monitoring -o").arguments([&bench])).await?;
    if arguments.iter().any(|argument| asks_only(argument)) {
        return programs.run(&Call::of(bench).arguments(arguments)).await.map(|()| ChoreResult::Good);
    }
    let chosen = [
        program("kubernetes")?,
        program("etcd")?,
        program("prometheus-operator")?,
        program("mainstay-reloader")?,
    ];
    test::build_lab(programs).await?;
    let of_lab = Call::of(environment::binaries()?.join("lab")).words("build");
    programs.run(&of_lab.arguments(chosen.iter().map(Program::id))).await?;
    programs.run(&Call::cargo().words("build --release --locked --package mainstay --bin mainstay")).await?;

    let cache = Cache::of_user();
    let workshop = Workshop::new(cache.clone());
    let [kubernetes, etcd, peer, reloader] = chosen.map(|program| workshop.directory(&program));
    let places = [
        ("work", cache.directory().join("bench-monitoring")),
        ("crds", environment::workspace().join("deploy/crds")),
        ("apiserver", kubernetes.join("kube-apiserver")),
        ("etcd", etcd.join("etcd")),
        ("peer", peer.join("operator")),
        ("peer-reloader", peer.join("prometheus-config-reloader")),
        ("ours", environment::binaries()?.with_file_name("release").join("mainstay")),
        ("our-reloader", reloader.join("mainstay-reloader")),
    ];
    let places = places.map(|(flag, path)| format!("--{flag}={}", path.display()));
    let measure = Call::of(bench).arguments(places).arguments(arguments);
    programs.run(&measure).await.map(|()| ChoreResult::Good)
}

/// Whether nothing is to be measured, so that nothing else has to be built.
fn asks_only(argument: &str) -> bool {
    let flag = argument.trim_start_matches('-').split('=').next();
    argument.starts_with('-') && ["help", "h", "tell"].map(Some).contains(&flag)
}

/// A program of the lab, at the version that the lab uses.
fn program(name: &str) -> Result<Program> {
    let versions = Versions::built_in();
    versions.program(name, versions.default_version(name)?)
}

#[cfg(test)]
mod tests {
    use super::asks_only;

    #[test]
    fn a_question_builds_no_operator() {
        assert!(["--help", "-h", "--tell", "-tell=results.jsonl"].into_iter().all(asks_only));
        assert!(!["--runs", "1", "--only=rules", "tell"].into_iter().any(asks_only));
    }
}
