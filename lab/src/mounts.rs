//! Lists and unmounts the file systems of this machine. The list is in the order of mounting, so it is unmounted in
//! reverse.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::shell::call;

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Where it is mounted.
    pub point: PathBuf,
    /// The device of the file system, `major:minor`.
    pub device: String,
    /// Its type.
    pub kind: String,
    /// Options of the file system itself.
    pub options: Vec<String>,
}

/// All mounts that this process sees.
pub fn all() -> Result<Vec<Mount>> {
    let text = std::fs::read_to_string("/proc/self/mountinfo").context("cannot read the mounts")?;
    Ok(parse(&text))
}

/// Parses `/proc/self/mountinfo`. Malformed lines are ignored.
fn parse(mountinfo: &str) -> Vec<Mount> {
    let parse_line = |line: &str| {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut fields = mount.split(' ');
        let device = fields.nth(2)?.to_owned();
        let point = PathBuf::from(unescape(fields.nth(1)?));
        let mut fields = file_system.split(' ');
        let kind = fields.next()?.to_owned();
        let options = fields.nth(1)?.split(',').map(str::to_owned).collect();
        Some(Mount { point, device, kind, options })
    };
    mountinfo.lines().filter_map(parse_line).collect()
}

/// The kernel writes space, tab, line break and backslash as a backslash and three octal digits.
fn unescape(field: &str) -> String {
    let mut plain = String::with_capacity(field.len());
    let mut rest = field;
    while let Some(first) = rest.chars().next() {
        let octal = rest.strip_prefix('\\').and_then(|after| u8::from_str_radix(after.get(..3)?, 8).ok());
        plain.push(octal.map_or(first, char::from));
        rest = &rest[if octal.is_some() { 4 } else { first.len_utf8() }..];
    }
    plain
}

/// The mount points to unmount, in order: all at or below `directory`, and every other mount of `devices`. A mount
/// point with several mounts occurs once for each.
fn to_release(mounts: &[Mount], directory: &Path, devices: &BTreeSet<String>) -> Vec<PathBuf> {
    mounts
        .iter()
        .rev()
        .filter(|mount| mount.point.starts_with(directory) || devices.contains(&mount.device))
        .map(|mount| mount.point.clone())
        .collect()
}

/// Unmounts everything at or below `directory` and every other mount of `devices`. A busy file system is unmounted
/// lazily: its path is free at once, and the kernel releases it after its last user.
pub fn release(directory: &Path, devices: &BTreeSet<String>) -> Result<()> {
    for point in to_release(&all()?, directory, devices) {
        if !call("umount").arg(&point).succeeds() && !call("umount").arg("-l").arg(&point).succeeds() {
            // Another process may have unmounted it already.
            ensure!(!all()?.iter().any(|mount| mount.point == point), "cannot unmount {}", point.display());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/root rw
40 27 7:0 / /lab/volumes/pvc-1 rw,relatime shared:3 - xfs /dev/loop0 rw,noquota
41 40 7:1 / /lab/volumes/pvc-1 rw,relatime - xfs /dev/loop1 rw
42 27 7:0 / /lab/node/pods/a\\040b\\134c/pvc-1 rw,relatime - xfs /dev/loop0 rw
43 27 7:9 / /lab/volumes-of-another/pvc-1 rw,relatime - xfs /dev/loop9 rw

nonsense
";

    #[test]
    fn the_table_is_read_with_its_escapes() {
        let mounts = parse(TABLE);
        let points: Vec<&str> = mounts.iter().filter_map(|mount| mount.point.to_str()).collect();
        let expected = [
            "/",
            "/lab/volumes/pvc-1",
            "/lab/volumes/pvc-1",
            "/lab/node/pods/a b\\c/pvc-1",
            "/lab/volumes-of-another/pvc-1",
        ];
        assert_eq!(points, expected);
        let second = Mount {
            point: "/lab/volumes/pvc-1".into(),
            device: "7:0".into(),
            kind: "xfs".into(),
            options: vec!["rw".into(), "noquota".into()],
        };
        assert_eq!(mounts[1], second);
    }

    #[test]
    fn a_backslash_without_octal_digits_is_kept() {
        assert_eq!(unescape("a\\9\\0"), "a\\9\\0");
    }

    #[test]
    fn stacked_mounts_and_bind_mounts_elsewhere_are_released_last_first() {
        let devices = BTreeSet::from(["7:0".to_owned()]);
        let expected = ["/lab/node/pods/a b\\c/pvc-1", "/lab/volumes/pvc-1", "/lab/volumes/pvc-1"];
        assert_eq!(
            to_release(&parse(TABLE), Path::new("/lab/volumes"), &devices),
            expected.map(PathBuf::from)
        );
    }
}
