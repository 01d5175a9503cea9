//! The programs that check configurations, and which of them checks which. Pure.

use std::path::PathBuf;

use anyhow::{Context, Result};
use lab::programs::Workshop;
use lab::versions::{Recipe, Versions};
use semver::Version;

use super::configuration::{Configuration, Reader};
use crate::programs::Call;

/// What the lab builds for it.
pub(crate) const PROGRAMS: &str = "promtool alertmanager";

/// What Debian leaves out of its Prometheus.
const NOT_IN_DEBIAN: &[&str] = &[
    "consul_sd_configs:",
    "kubernetes_sd_configs:",
    "kuma_sd_configs:",
    "linode_sd_configs:",
    "nomad_sd_configs:",
];

/// A program at a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judge {
    tool: Tool,
    version: Version,
    program: PathBuf,
    /// What its build was made without: it says nothing about a configuration that holds one of these.
    lacks: &'static [&'static str],
}

/// The two that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Promtool,
    Amtool,
}

impl Tool {
    fn of(reader: Reader) -> Self {
        match reader {
            Reader::Prometheus | Reader::PrometheusAgent => Self::Promtool,
            Reader::Alertmanager => Self::Amtool,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Promtool => "promtool",
            Self::Amtool => "amtool",
        }
    }
}

impl Judge {
    /// All that the table of the lab has, in its order.
    pub(crate) fn all(versions: &Versions, workshop: &Workshop) -> Result<Vec<Self>> {
        let mut judges = Vec::new();
        for program in versions.programs() {
            let (tool, lacks) = match (program.name.as_str(), &program.recipe) {
                ("promtool", Recipe::Debian(_)) => (Tool::Promtool, NOT_IN_DEBIAN),
                ("promtool", _) => (Tool::Promtool, &[][..]),
                ("alertmanager", _) => (Tool::Amtool, &[][..]),
                _ => continue,
            };
            let version = Version::parse(&program.version).with_context(|| program.id())?;
            let program = workshop.directory(&program).join(tool.name());
            judges.push(Self { tool, version, program, lacks });
        }
        Ok(judges)
    }

    /// The one that is nearest to the version that a configuration was made for, and not older: an older one would refuse
    /// what came later. A newer one may be too lenient, and refuses what was taken away since.
    pub(crate) fn choose<'j>(judges: &'j [Self], configuration: &Configuration) -> Option<&'j Self> {
        judges
            .iter()
            .filter(|judge| judge.tool == Tool::of(configuration.reader))
            .filter(|judge| judge.version >= configuration.version)
            .filter(|judge| judge.lacks.iter().all(|lacking| !configuration.text.contains(lacking)))
            .min_by_key(|judge| &judge.version)
    }

    /// What a person calls it.
    pub(crate) fn shown(&self) -> String {
        format!("{} {}", self.tool.name(), self.version)
    }

    /// A call that only proves that it runs.
    pub(crate) fn introduction(&self) -> Call {
        Call::of(&self.program).words("--version")
    }

    /// A call that judges files for a reader. It fails if one of them is refused. Files that a configuration names are not
    /// looked for: they lie in pods.
    pub(crate) fn call(&self, reader: Reader, files: &[&Configuration]) -> Call {
        let words = match reader {
            Reader::Prometheus => "check config --syntax-only",
            Reader::PrometheusAgent => "check config --syntax-only --agent",
            // It has no such flag, and reads nothing but templates, where there are some.
            Reader::Alertmanager => "check-config",
        };
        Call::of(&self.program).words(words).arguments(files.iter().map(|file| file.path.to_string_lossy()))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use lab::paths::Cache;

    use super::super::configuration::Origin;
    use super::*;

    /// A configuration without a file.
    pub(in super::super) fn configuration(reader: Reader, version: &str, text: &str) -> Configuration {
        let (origin, version) = (Origin::Case, Version::parse(version).unwrap());
        let name = format!("case@{version}");
        Configuration { origin, reader, version, name, path: "/made/case.yaml".into(), text: text.into() }
    }

    fn chosen(reader: Reader, version: &str, text: &str) -> Option<String> {
        let workshop = Workshop::new(Cache::at("/cache"));
        let judges = Judge::all(&Versions::built_in(), &workshop).unwrap();
        Judge::choose(&judges, &configuration(reader, version, text)).map(Judge::shown)
    }

    #[test]
    fn the_nearest_that_is_not_older_judges() {
        for (reader, version, judge) in [
            (Reader::Prometheus, "2.0.0", Some("promtool 2.42.0")),
            (Reader::Prometheus, "2.42.0", Some("promtool 2.42.0")),
            (Reader::PrometheusAgent, "2.42.1", Some("promtool 3.13.1")),
            (Reader::Prometheus, "3.0.0-rc.0", Some("promtool 3.13.1")),
            (Reader::Prometheus, "3.13.2", Some("promtool 3.13.2")),
            (Reader::Prometheus, "3.13.3", None),
            (Reader::Alertmanager, "0.25.0", Some("amtool 0.25.0")),
            (Reader::Alertmanager, "0.25.1", Some("amtool 0.33.1")),
            (Reader::Alertmanager, "0.34.0", None),
        ] {
            assert_eq!(chosen(reader, version, "global: {}").as_deref(), judge, "{reader:?} {version}");
        }
    }

    #[test]
    fn who_lacks_a_discovery_does_not_judge_it() {
        let text = "scrape_configs:\n- kubernetes_sd_configs:\n  - role: pod\n";
        assert_eq!(chosen(Reader::Prometheus, "2.42.0", text).as_deref(), Some("promtool 3.13.1"));
    }

    #[test]
    fn a_call_says_for_whom_it_judges() {
        let judge =
            Judge { tool: Tool::Promtool, version: Version::new(1, 2, 3), program: "/p".into(), lacks: &[] };
        let one = configuration(Reader::PrometheusAgent, "3.0.0", "");
        assert_eq!(
            judge.call(one.reader, &[&one, &one]).shown(),
            "p check config --syntax-only --agent /made/case.yaml /made/case.yaml"
        );
    }
}
