//! Measures our monitoring operators and the Prometheus Operator on the same API server: builds releases of both and
//! the benchmark, and runs it.

use anyhow::Result;
use lab::paths::Cache;
use lab::programs::Builder;
use lab::versions::{Program, Versions};

use crate::programs::{Call, Programs};
use crate::{ChoreResult, environment, test};

/// Runs the benchmark. The exit status says whether every target is met.
pub(crate) async fn run(programs: &Programs, arguments: &[String]) -> Result<ChoreResult> {
    let bench = environment::binaries()?.join("bench-monitoring").display().to_string();
    programs.run(&Call::of("go").words("build -C bench/monitoring -o").arguments([&bench])).await?;
    if arguments.iter().any(|argument| only_prints(argument)) {
        return programs.run(&Call::of(bench).arguments(arguments)).await.map(|()| ChoreResult::Good);
    }
    let chosen = [
        program("kubernetes")?,
        program("etcd")?,
        program("prometheus-operator")?,
        program("mainstay-reloader")?,
    ];
    test::build_lab(programs).await?;
    let build = Call::lab("build")?;
    programs.run(&build.arguments(chosen.iter().map(Program::id))).await?;
    programs.run(&Call::cargo().words("build --release --locked --package mainstay --bin mainstay")).await?;

    let cache = Cache::of_user();
    let builder = Builder::new(cache.clone());
    let [kubernetes, etcd, peer, reloader] = chosen.map(|program| builder.directory(&program));
    let paths = [
        ("work", cache.directory().join("bench-monitoring")),
        ("crds", environment::workspace().join("deploy/crds")),
        ("apiserver", kubernetes.join("kube-apiserver")),
        ("etcd", etcd.join("etcd")),
        ("peer", peer.join("operator")),
        ("peer-reloader", peer.join("prometheus-config-reloader")),
        ("ours", environment::binaries()?.with_file_name("release").join("mainstay")),
        ("our-reloader", reloader.join("mainstay-reloader")),
    ];
    let paths = paths.map(|(flag, path)| format!("--{flag}={}", path.display()));
    let measure = Call::of(bench).arguments(paths).arguments(arguments);
    programs.run(&measure).await.map(|()| ChoreResult::Good)
}

/// Whether the argument only prints something, so that nothing has to be built.
fn only_prints(argument: &str) -> bool {
    let flag = argument.trim_start_matches('-').split('=').next();
    argument.starts_with('-') && ["help", "h", "tell"].map(Some).contains(&flag)
}

/// A program of the lab, in its default version.
fn program(name: &str) -> Result<Program> {
    let versions = Versions::built_in();
    versions.program(name, versions.default_version(name)?)
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn printing_builds_no_operator() {
        assert!(["--help", "-h", "--tell", "-tell=results.jsonl"].into_iter().all(only_prints));
        assert!(!["--runs", "1", "--only=rules", "tell"].into_iter().any(only_prints));
    }
}
