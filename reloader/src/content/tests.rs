use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

fn gzip(text: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

struct Place {
    directory: tempfile::TempDir,
    files: Files,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir(path("in")).unwrap();
        fs::create_dir(path("rules")).unwrap();
        let files = Files {
            config: Some(path("in/config.gz")),
            output: Some(path("out.yaml")),
            watched: vec![path("rules"), path("in")],
        };
        Self { directory, files }
    }

    fn config(&self, bytes: &[u8]) {
        fs::write(self.files.config.as_ref().unwrap(), bytes).unwrap();
    }

    fn output(&self) -> Vec<u8> {
        fs::read(self.files.output.as_ref().unwrap()).unwrap()
    }

    fn pass(&self) -> Found {
        pass(&self.files, &Environment::of([(b"POD_NAME".to_vec(), b"main-3".to_vec())], "POD_NAME")).unwrap()
    }
}

#[test]
fn a_pass_expands_and_writes_once() {
    let place = Place::new();
    let text = b"replica: $(POD_NAME) $(STATEFULSET_ORDINAL_NUMBER) $(ABSENT)\n".repeat(10_000);
    place.config(&gzip(&text, 6));
    let first = place.pass();
    assert_eq!(place.output(), b"replica: main-3 3 $(ABSENT)\n".repeat(10_000));
    assert_eq!(first.fingerprint.config, Some(Digest::of(&text)));
    assert_eq!(first.unset, Unset { count: 10_000, names: ["ABSENT".to_owned()].into() });
    assert_eq!(first, Found { written: true, ..place.pass() });
    assert!(!place.pass().written);
}

#[test]
fn other_bytes_with_the_same_content_are_the_same() {
    let place = Place::new();
    let text = b"scrape_configs: []\n".repeat(1000);
    place.config(&gzip(&text, 1));
    let first = place.pass();
    let halves = text.split_at(700);
    for bytes in [gzip(&text, 9), [gzip(halves.0, 6), gzip(halves.1, 6)].concat(), text.clone()] {
        place.config(&bytes);
        assert_eq!(place.pass(), Found { written: false, ..first.clone() });
    }
}

#[test]
fn a_changed_rule_is_another_fingerprint_and_no_write() {
    let place = Place::new();
    place.config(b"a");
    let first = place.pass();
    fs::write(place.directory.path().join("rules/r.yaml"), "groups: []").unwrap();
    let second = place.pass();
    assert_eq!(second.fingerprint.config, first.fingerprint.config);
    assert_ne!(second.fingerprint.watched, first.fingerprint.watched);
    assert!(!second.written);
}

#[test]
fn an_output_that_somebody_changed_is_put_right() {
    let place = Place::new();
    place.config(b"a: 1\n");
    let first = place.pass();
    fs::write(place.files.output.as_ref().unwrap(), "a: 2\n").unwrap();
    assert_eq!(place.pass(), first);
    assert_eq!(place.output(), b"a: 1\n");
}

#[test]
fn a_broken_configuration_leaves_the_output() {
    let place = Place::new();
    place.config(b"good\n");
    place.pass();
    let bytes = gzip(&b"bad\n".repeat(100_000), 6);
    place.config(&bytes[..bytes.len() - 20]);
    let error = pass(&place.files, &Environment::default()).unwrap_err();
    assert_eq!(error.reason(), Reason::Read);
    assert_eq!(place.output(), b"good\n");
    assert!(!place.directory.path().join("out.yaml.tmp").exists());
}

#[test]
fn a_configuration_that_is_too_large_leaves_the_output() {
    let place = Place::new();
    place.config(b"good\n");
    place.pass();
    // Too large as it is, and too large when it is expanded.
    let megabyte = gzip(&vec![0; 1 << 20], 6);
    let long = [(b"LONG".to_vec(), vec![b'x'; 1 << 20])];
    for (bytes, environment, reason) in [
        (megabyte.repeat(65), Environment::default(), Reason::Read),
        (b"$(LONG)\n".repeat(65), Environment::of(long, "POD_NAME"), Reason::Write),
    ] {
        place.config(&bytes);
        let error = pass(&place.files, &environment).unwrap_err();
        assert_eq!(error.reason(), reason);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(source, "it holds more than 64 MiB; the last good one stays");
        assert_eq!(place.output(), b"good\n");
    }
    place.config(b"better\n");
    place.pass();
    assert_eq!(place.output(), b"better\n");
}

#[test]
fn without_an_output_only_the_hash_is_taken() {
    let mut place = Place::new();
    place.files.output = None;
    place.config(&gzip(b"$(ABSENT)", 6));
    assert_eq!(place.pass().fingerprint.config, Some(Digest::of(b"$(ABSENT)")));
    assert_eq!(place.pass().unset, Unset::default());
}
