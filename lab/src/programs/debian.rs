//! Takes programs from Debian packages, which are downloaded and unpacked into the cache but not installed. Also
//! installs the packages that the host itself needs.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::shell::call;
use crate::versions::DebianPackage;

/// Takes files from packages whose upstream version is `version`.
pub(super) fn take(recipe: &DebianPackage, version: &str, tree: &Path, output: &Path) -> Result<()> {
    for package in std::iter::once(&recipe.package).chain(&recipe.also) {
        unpack(package, version, tree)?;
    }
    for file in &recipe.files {
        let source = tree.join(file);
        let name = Path::new(file).file_name().and_then(|name| name.to_str()).context("a file has a name")?;
        let name = recipe.rename.get(name).map_or(name, String::as_str);
        std::fs::copy(&source, output.join(name))
            .with_context(|| format!("package {} has no {file}", recipe.package))?;
    }
    Ok(())
}

fn unpack(package: &str, version: &str, tree: &Path) -> Result<()> {
    let fetch = || call("apt-get").directory(tree).args(["download", package]);
    if fetch().run().is_err() {
        // The package lists may be missing or old on a new machine.
        call("apt-get").args(["update", "-qq"]).run()?;
        fetch().run()?;
    }
    let archive = std::fs::read_dir(tree)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| name.starts_with(&format!("{package}_")) && name.contains(".deb"))
        .with_context(|| format!("apt-get downloaded no {package}"))?;
    let found = call("dpkg-deb").directory(tree).args(["-f", &archive, "Version"]).output()?;
    if !is_version(&found, version) {
        bail!("Debian's {package} is {found}, the lab needs {version}: it supports Debian 12 only");
    }
    call("dpkg-deb").directory(tree).args(["-x", &archive, "."]).run()
}

/// Whether a Debian version (`epoch:upstream+dfsg-revision`) is of this upstream version.
fn is_version(debian: &str, upstream: &str) -> bool {
    let debian = debian.split_once(':').map_or(debian, |(_, rest)| rest);
    debian
        .strip_prefix(upstream)
        .is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit() || next == '.'))
}

/// Installs packages on the host.
pub fn install_packages(packages: &[String]) -> Result<()> {
    let install = || {
        call("apt-get")
            .environment("DEBIAN_FRONTEND", "noninteractive")
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(packages)
    };
    if install().run().is_err() {
        call("apt-get").args(["update", "-qq"]).run()?;
        install().run()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debian_version_is_compared_by_its_upstream_part() {
        assert!(is_version("1:1.35.0-4+deb12u1+b1", "1.35.0"));
        assert!(is_version("2.42.0+ds-5+deb12u1", "2.42.0"));
        assert!(is_version("2.36-9+deb12u13", "2.36"));
        assert!(!is_version("3.4.230-1", "3.4.23"));
        assert!(!is_version("1.36.1-1", "1.36"));
    }
}
