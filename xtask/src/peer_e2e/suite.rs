//! The suite: the source of the Prometheus Operator from its Go module, changed for a machine that reaches only the
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

/// Incremented when the code below produces a different suite.
const REVISION: u8 = 1;

/// The directory with the source of the previous version, relative to the directory in which the tests run. The suite
/// fills in the numbers.
const PREVIOUS: &str = "../before/release-%d.%d";

/// The suite, ready to run.
#[derive(Debug, Clone)]
pub(crate) struct Suite {
    directory: PathBuf,
    /// Its version.
    pub(crate) version: String,
}

impl Suite {
    /// The suite from the cache; it is built first if it is missing.
    pub(crate) async fn ensure(programs: &Programs) -> Result<Self> {
        let versions = Versions::built_in();
        let listed: Vec<_> =
            versions.programs().into_iter().filter(|program| program.name == PROGRAM).collect();
        let [current, previous, ..] = listed.as_slice() else {
            anyhow::bail!("the table of the lab needs two versions of {PROGRAM}")
        };
        let cache = Cache::of_user().directory().join("peer-e2e");
        let directory = cache.join(format!("suite-{}-{REVISION}", current.version));
        let suite = Self { directory, version: current.version.clone() };
        // Another process that needs the suite waits for this lock, and then finds it.
        std::fs::create_dir_all(&cache).with_context(|| format!("cannot create {}", cache.display()))?;
        let lock = File::create(cache.join("suite.lock")).context("cannot create the lock of the suite")?;
        lock.lock().context("cannot lock the suite")?;
        if !suite.directory.is_dir() {
            line(format!("building the test suite of {PROGRAM} {}", current.version));
            let draft = Self { directory: cache.join("suite.draft"), ..suite.clone() };
            remove_all(&draft.directory)?;
            let (module, requires) = source(&current.recipe)?;
            check_out(&module, requires, &draft.source())?;
            draft.add_previous(&source(&previous.recipe)?.0, &previous.version)?;
            draft.adapt()?;
            draft.build(programs).await?;
            std::fs::rename(&draft.directory, &suite.directory)
                .with_context(|| format!("cannot move {} into place", suite.directory.display()))?;
        }
        Ok(suite)
    }

    /// The source, from which the tests also read examples and CRDs.
    fn source(&self) -> PathBuf {
        self.directory.join("source")
    }

    /// The directory in which the tests run.
    pub(crate) fn tests(&self) -> PathBuf {
        self.source().join("test/e2e")
    }

    /// The CRDs.
    pub(crate) fn definitions(&self) -> PathBuf {
        self.source().join("example/prometheus-operator-crd")
    }

    /// The test binary.
    pub(crate) fn binary(&self) -> PathBuf {
        self.directory.join("e2e.test")
    }

    /// Puts the source of the previous version where the suite expects it. Only the parts that it reads are kept.
    fn add_previous(&self, module: &str, version: &str) -> Result<()> {
        let whole = self.directory.join("before");
        check_out(module, &[], &whole)?;
        let mut numbers = version.split('.');
        let mut path = PREVIOUS.to_owned();
        while let (Some(number), true) = (numbers.next(), path.contains("%d")) {
            path = path.replacen("%d", number, 1);
        }
        let directory = self.tests().join(path);
        for part in ["VERSION", "example", "test/framework/resources"] {
            let to = directory.join(part);
            std::fs::create_dir_all(to.parent().context("a part is in a directory")?)?;
            std::fs::rename(whole.join(part), &to).with_context(|| format!("{module} has no {part}"))?;
        }
        remove_all(&whole)
    }

    fn adapt(&self) -> Result<()> {
        let file = self.tests().join("main_test.go");
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
            // The same settings as for the programs of the lab, so that shared packages are compiled once.
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

/// Changes the suite so that it reads the files of the previous version from a directory instead of the network: its
/// own reader accepts a path as well as a URL.
fn without_downloads(text: &str) -> Result<String> {
    let text = replace_once(text, "URLToIOReader(", "SourceToIOReader(")?;
    let name = "gitHubContentReleaseBaseURL = \"";
    let (front, rest) = text.split_once(name).with_context(|| format!("the suite has no {name}"))?;
    let (_, back) = rest.split_once('"').context("the suite has an address without an end")?;
    Ok(format!("{front}{name}{PREVIOUS}\"{back}"))
}

fn replace_once(text: &str, old: &str, new: &str) -> Result<String> {
    let found = text.matches(old).count();
    ensure!(found == 1, "the suite contains {old} {found} times instead of once");
    Ok(text.replacen(old, new, 1))
}

/// The certificate of the sample application, which is also its certificate authority and its client certificate.
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
