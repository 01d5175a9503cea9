//! The hashes that our reloader reports, of the configuration and of the directories that it watches. They are computed
//! from what was written, as `reloader/src/content` computes them from the files of a pod.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use sha2::{Digest as _, Sha256};

/// The hash of a configuration, decompressed and before expansion. It comes in pieces, so that the whole text is never copied.
pub fn configuration<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut hasher = Sha256::new();
    pieces.into_iter().for_each(|piece| hasher.update(piece));
    hexadecimal(&hasher.finalize())
}

/// A directory of a pod into which a Secret or a ConfigMap is mounted.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'a> {
    /// The path on the command line of the reloader.
    pub path: &'a str,
    /// The files in it, without the configuration itself.
    pub files: &'a BTreeMap<String, Vec<u8>>,
}

/// The hash of watched directories, in the order of the command line. A pod reports the same hash only if it watches
/// exactly these.
pub fn watched<'a>(directories: impl IntoIterator<Item = Directory<'a>>) -> String {
    let mut hasher = Sha256::new();
    for directory in directories {
        entry(&mut hasher, b'r', directory.path);
        // A map is in byte order, as the reloader reads it. The reloader ignores the hidden files of the kubelet.
        for (name, content) in directory.files.iter().filter(|(name, _)| !name.starts_with("..")) {
            entry(&mut hasher, b'f', name);
            hasher.update(Sha256::digest(content));
        }
    }
    hexadecimal(&hasher.finalize())
}

/// The files of a Secret where it is mounted.
pub(crate) fn secret_files(secret: &Secret) -> BTreeMap<String, Vec<u8>> {
    secret.data.iter().flatten().map(|(name, bytes)| (name.clone(), bytes.0.clone())).collect()
}

/// The files of a ConfigMap where it is mounted.
pub(crate) fn config_map_files(map: &ConfigMap) -> BTreeMap<String, Vec<u8>> {
    let bytes = map.binary_data.iter().flatten().map(|(name, bytes)| (name.clone(), bytes.0.clone()));
    let texts = map.data.iter().flatten().map(|(name, text)| (name.clone(), text.clone().into_bytes()));
    bytes.chain(texts).collect()
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
    fn our_reloader_computes_the_same_hashes_in_a_pod() {
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
            (configuration([text.as_slice()]), watched(directories))
        );
    }
}
