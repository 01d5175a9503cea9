//! The hashes that our reloader tells, computed from what was written: of the configuration, and of the directories that
//! it watches, as `reloader/src/content` computes them from the files of a pod.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Of a configuration, decompressed and before expansion.
pub fn configuration(text: &[u8]) -> String {
    in_pieces([text])
}

/// The same of one that comes in pieces, one after the other: nobody needs the whole of it.
pub fn in_pieces<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut hasher = Sha256::new();
    pieces.into_iter().for_each(|piece| hasher.update(piece));
    hexadecimal(&hasher.finalize())
}

/// A directory of a pod into which a Secret or a ConfigMap is mounted.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'a> {
    /// As the command line of the reloader names it.
    pub path: &'a str,
    /// The files in it, without the configuration itself.
    pub files: &'a BTreeMap<String, Vec<u8>>,
}

/// Of watched directories, in the order of the command line. It is the one that a pod tells only if these are all.
pub fn watched<'a>(directories: impl IntoIterator<Item = Directory<'a>>) -> String {
    let mut hasher = Sha256::new();
    for directory in directories {
        entry(&mut hasher, b'r', directory.path);
        // A map is in the order of bytes, as the reloader reads it; it passes over what the kubelet hides.
        for (name, content) in directory.files.iter().filter(|(name, _)| !name.starts_with("..")) {
            entry(&mut hasher, b'f', name);
            hasher.update(Sha256::digest(content));
        }
    }
    hexadecimal(&hasher.finalize())
}

fn entry(hasher: &mut Sha256, kind: u8, name: &str) {
    hasher.update([kind]);
    hasher.update((name.len() as u64).to_le_bytes());
    hasher.update(name);
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::symlink;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use mainstay_reloader::content::{self, Files};
    use mainstay_reloader::environment::Environment;

    use super::*;

    #[test]
    fn our_reloader_finds_the_same_in_a_pod() {
        let pod = tempfile::tempdir().unwrap();
        let [config, rules] = ["config", "rules"].map(|name| pod.path().join(name));
        let text = b"global: {}\nscrape_configs:\n- job_name: $(POD_NAME)\n";
        fs::create_dir_all(&config).unwrap();
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(text).unwrap();
        fs::write(config.join("prometheus.yaml.gz"), packed.finish().unwrap()).unwrap();
        // As the kubelet mounts a ConfigMap.
        let data = rules.join("..2026_01_01");
        fs::create_dir_all(&data).unwrap();
        let files = BTreeMap::from([
            ("b.yaml".to_owned(), b"groups: []\n".to_vec()),
            ("a.yaml".to_owned(), Vec::new()),
        ]);
        symlink("..2026_01_01", rules.join("..data")).unwrap();
        for (name, content) in &files {
            fs::write(data.join(name), content).unwrap();
            symlink(format!("..data/{name}"), rules.join(name)).unwrap();
        }
        let found = content::pass(
            &Files {
                config: Some(config.join("prometheus.yaml.gz")),
                output: Some(pod.path().join("out.yaml")),
                watched: vec![rules.clone(), config.clone()],
            },
            &Environment::of([], "POD_NAME"),
        )
        .unwrap();
        let nothing = BTreeMap::new();
        let directories = [
            Directory { path: rules.to_str().unwrap(), files: &files },
            Directory { path: config.to_str().unwrap(), files: &nothing },
        ];
        assert_eq!(
            (found.fingerprint.config.unwrap().to_string(), found.fingerprint.watched.unwrap().to_string()),
            (configuration(text), watched(directories))
        );
    }
}
