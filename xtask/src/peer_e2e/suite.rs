//! The suite itself: the source of the Prometheus Operator from its Go module, adapted to a machine that reaches only the
//! module proxy, and the test binary built from it. Kept in the cache, by version.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use lab::console::line;
use lab::paths::{Cache, remove_all, write_atomically};
use lab::programs::check_out;
use lab::versions::{Recipe, Versions};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

use crate::programs::{Call, Programs};

/// The program in the table of the lab.
pub(crate) const PROGRAM: &str = "prometheus-operator";

/// Raised whenever what is made below would come out differently.
const MADE: u8 = 1;

/// Where the source of the version before lies, seen from the directory in which the tests run. The numbers are filled
/// in by the suite.
const BEFORE: &str = "../before/release-%d.%d";

/// The suite, ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Suite {
    directory: PathBuf,
    /// The version that it belongs to.
    pub(crate) version: String,
}

impl Suite {
    /// Takes it from the cache, or makes it.
    pub(crate) async fn ensure(programs: &Programs) -> Result<Self> {
        let versions = Versions::built_in();
        let listed: Vec<_> =
            versions.programs().into_iter().filter(|program| program.name == PROGRAM).collect();
        let [current, before, ..] = listed.as_slice() else {
            anyhow::bail!("the table of the lab needs two versions of {PROGRAM}")
        };
        let place = Cache::of_user().directory().join("peer-e2e");
        let directory = place.join(format!("suite-{}-{MADE}", current.version));
        let suite = Self { directory, version: current.version.clone() };
        // Until the suite is built: another process that needs it waits, and then finds it.
        std::fs::create_dir_all(&place).with_context(|| format!("cannot create {}", place.display()))?;
        let held = File::create(place.join("suite.lock")).context("cannot create the lock of the suite")?;
        held.lock().context("cannot lock the suite")?;
        if !suite.directory.is_dir() {
            line(format!("building the test suite of {PROGRAM} {}", current.version));
            let draft = Self { directory: place.join("suite.draft"), ..suite.clone() };
            remove_all(&draft.directory)?;
            let (module, requires) = source(&current.recipe)?;
            check_out(&module, requires, &draft.source())?;
            draft.put_before(&source(&before.recipe)?.0, &before.version)?;
            draft.make_fit()?;
            draft.build(programs).await?;
            std::fs::rename(&draft.directory, &suite.directory)
                .with_context(|| format!("cannot put {} in place", suite.directory.display()))?;
        }
        Ok(suite)
    }

    /// The source that the tests read examples and definitions from.
    fn source(&self) -> PathBuf {
        self.directory.join("source")
    }

    /// Where the tests run.
    pub(crate) fn place(&self) -> PathBuf {
        self.source().join("test/e2e")
    }

    /// The definitions of the kinds.
    pub(crate) fn definitions(&self) -> PathBuf {
        self.source().join("example/prometheus-operator-crd")
    }

    /// The tests.
    pub(crate) fn binary(&self) -> PathBuf {
        self.directory.join("e2e.test")
    }

    /// Lays the version before where the suite looks for it. Only what it reads is kept.
    fn put_before(&self, module: &str, version: &str) -> Result<()> {
        let whole = self.directory.join("before");
        check_out(module, &[], &whole)?;
        let mut numbers = version.split('.');
        let mut place = BEFORE.to_owned();
        while let (Some(number), true) = (numbers.next(), place.contains("%d")) {
            place = place.replacen("%d", number, 1);
        }
        let place = self.place().join(place);
        for part in ["VERSION", "example", "test/framework/resources"] {
            let to = place.join(part);
            std::fs::create_dir_all(to.parent().context("a part lies in a directory")?)?;
            std::fs::rename(whole.join(part), &to)
                .with_context(|| format!("{module} has no {part} that could be put aside"))?;
        }
        remove_all(&whole)
    }

    fn make_fit(&self) -> Result<()> {
        let file = self.place().join("main_test.go");
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        std::fs::write(&file, without_downloads(&text)?)?;
        write_certificate(&self.source().join("test/instrumented-sample-app/certs"))
    }

    async fn build(&self, programs: &Programs) -> Result<()> {
        let binary = self.binary().display().to_string();
        let call = Call::of("go")
            .words("test -c -o")
            .arguments([binary.as_str(), "./test/e2e"])
            .inside(self.source())
            // As the lab builds its programs, so that what they share is compiled once.
            .with("CGO_ENABLED", "0")
            .with("GOWORK", "off")
            .with("GOFLAGS", "-mod=mod -buildvcs=false");
        programs.output(&call).await.map(drop)
    }
}

/// The module that a program of the table is made from, and what it requires.
fn source(recipe: &Recipe) -> Result<(String, &[String])> {
    let Recipe::Go(go) = recipe else { anyhow::bail!("{PROGRAM} is made from a Go module") };
    let module = go.modules.first().with_context(|| format!("{PROGRAM} has a module"))?;
    Ok((format!("{}@{}", module.path, module.version), &go.requires))
}

/// Lets the suite read the files of the version before from a directory instead of the network: its own reader takes a
/// path where it takes an address.
fn without_downloads(text: &str) -> Result<String> {
    let text = replace_once(text, "URLToIOReader(", "SourceToIOReader(")?;
    let name = "gitHubContentReleaseBaseURL = \"";
    let (front, rest) = text.split_once(name).with_context(|| format!("the suite has no {name}"))?;
    let (_, back) = rest.split_once('"').context("the suite has an address without an end")?;
    Ok(format!("{front}{name}{BEFORE}\"{back}"))
}

fn replace_once(text: &str, old: &str, new: &str) -> Result<String> {
    let found = text.matches(old).count();
    ensure!(found == 1, "the suite has {found} times {old}, and once was expected");
    Ok(text.replacen(old, new, 1))
}

/// The certificate of the sample application, which is its own authority and its own client.
fn write_certificate(directory: &Path) -> Result<()> {
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()])?;
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    write_atomically(&directory.join("cert.pem"), parameters.self_signed(&key)?.pem())?;
    write_atomically(&directory.join("key.pem"), key.serialize_pem())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_becomes_a_directory() {
        let text = "const (\n\tgitHubContentReleaseBaseURL = \"https://a/release-%d.%d\"\n)\n\tr := f.URLToIOReader(v)\n";
        assert_eq!(
            without_downloads(text).unwrap(),
            "const (\n\tgitHubContentReleaseBaseURL = \"../before/release-%d.%d\"\n)\n\tr := f.SourceToIOReader(v)\n"
        );
    }

    #[test]
    fn a_suite_that_changed_is_refused() {
        assert!(without_downloads("nothing").is_err());
        assert!(without_downloads("URLToIOReader( URLToIOReader(").is_err());
        assert!(without_downloads("URLToIOReader(").is_err());
    }

    #[test]
    fn the_table_has_two_versions_from_a_module() {
        let versions = Versions::built_in();
        let modules: Vec<String> = versions
            .programs()
            .iter()
            .filter(|program| program.name == PROGRAM)
            .map(|program| source(&program.recipe).unwrap().0)
            .collect();
        let path = "github.com/prometheus-operator/prometheus-operator";
        assert_eq!(modules, [format!("{path}@v0.93.1"), format!("{path}@v0.92.1")]);
    }

    #[test]
    fn a_certificate_and_its_key_are_written() {
        let directory = tempfile::tempdir().unwrap();
        write_certificate(directory.path()).unwrap();
        for (file, beginning) in [("cert.pem", "-----BEGIN CERT"), ("key.pem", "-----BEGIN PRIVATE")] {
            let text = std::fs::read_to_string(directory.path().join(file)).unwrap();
            assert!(text.starts_with(beginning), "{text}");
        }
    }
}
