//! The programs that check configurations, and which of them checks which configuration. Pure.

use std::path::PathBuf;

use anyhow::{Context, Result};
use lab::programs::Builder;
use lab::versions::{Recipe, Versions};
use semver::Version;

use super::configuration::{Configuration, Reader};
use crate::programs::Call;

/// The programs of the lab that are used.
pub(crate) const PROGRAMS: &str = "promtool alertmanager";

/// The service discoveries that Debian leaves out of its Prometheus.
const NOT_IN_DEBIAN: &[&str] = &[
    "consul_sd_configs:",
    "kubernetes_sd_configs:",
    "kuma_sd_configs:",
    "linode_sd_configs:",
    "nomad_sd_configs:",
];

/// A program in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checker {
    tool: Tool,
    version: Version,
    program: PathBuf,
    /// What its build leaves out: it cannot check a configuration that contains one of these.
    lacks: &'static [&'static str],
}

/// The two programs.
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

impl Checker {
    /// All checkers of the table of the lab, in its order.
    pub(crate) fn all(versions: &Versions, builder: &Builder) -> Result<Vec<Self>> {
        let mut checkers = Vec::new();
        for program in versions.programs() {
            let (tool, lacks) = match (program.name.as_str(), &program.recipe) {
                ("promtool", Recipe::Debian(_)) => (Tool::Promtool, NOT_IN_DEBIAN),
                ("promtool", _) => (Tool::Promtool, &[][..]),
                ("alertmanager", _) => (Tool::Amtool, &[][..]),
                _ => continue,
            };
            let version = Version::parse(&program.version).with_context(|| program.id())?;
            let program = builder.directory(&program).join(tool.name());
            checkers.push(Self { tool, version, program, lacks });
        }
        Ok(checkers)
    }

    /// The checker with the version nearest to that of the configuration, and not older: an older program would reject
    /// newer fields. A newer program may be too lenient, and rejects what was removed since.
    pub(crate) fn choose<'j>(checkers: &'j [Self], configuration: &Configuration) -> Option<&'j Self> {
        checkers
            .iter()
            .filter(|checker| checker.tool == Tool::of(configuration.reader))
            .filter(|checker| checker.version >= configuration.version)
            .filter(|checker| checker.lacks.iter().all(|lacking| !configuration.text.contains(lacking)))
            .min_by_key(|checker| &checker.version)
    }

    /// Its name and version.
    pub(crate) fn shown(&self) -> String {
        format!("{} {}", self.tool.name(), self.version)
    }

    /// A call that only proves that the program runs.
    pub(crate) fn print_version(&self) -> Call {
        Call::of(&self.program).words("--version")
    }

    /// A call that checks files for a reader. It fails if one of them is rejected. Files that a configuration refers to
    /// are not checked, because they exist only in pods.
    pub(crate) fn call(&self, reader: Reader, files: &[&Configuration]) -> Call {
        let words = match reader {
            Reader::Prometheus => "check config --syntax-only",
            Reader::PrometheusAgent => "check config --syntax-only --agent",
            // It has no such flag, but reads only templates.
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
        let builder = Builder::new(Cache::at("/cache"));
        let checkers = Checker::all(&Versions::built_in(), &builder).unwrap();
        Checker::choose(&checkers, &configuration(reader, version, text)).map(Checker::shown)
    }

    #[test]
    fn the_nearest_version_that_is_not_older_is_chosen() {
        for (reader, version, checker) in [
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
            assert_eq!(chosen(reader, version, "global: {}").as_deref(), checker, "{reader:?} {version}");
        }
    }

    #[test]
    fn a_program_without_a_discovery_does_not_check_it() {
        let text = "scrape_configs:\n- kubernetes_sd_configs:\n  - role: pod\n";
        assert_eq!(chosen(Reader::Prometheus, "2.42.0", text).as_deref(), Some("promtool 3.13.1"));
    }

    #[test]
    fn a_call_depends_on_the_reader() {
        let checker = Checker {
            tool: Tool::Promtool,
            version: Version::new(1, 2, 3),
            program: "/p".into(),
            lacks: &[],
        };
        let one = configuration(Reader::PrometheusAgent, "3.0.0", "");
        assert_eq!(
            checker.call(one.reader, &[&one, &one]).shown(),
            "p check config --syntax-only --agent /made/case.yaml /made/case.yaml"
        );
    }
}
