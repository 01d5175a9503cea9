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

struct Fixture {
    directory: tempfile::TempDir,
    files: Files,
}

impl Fixture {
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
fn a_pass_writes_the_output_only_if_it_changed() {
    let fixture = Fixture::new();
    let text = b"replica: $(POD_NAME) $(STATEFULSET_ORDINAL_NUMBER) $(ABSENT)\n".repeat(10_000);
    fixture.config(&gzip(&text, 6));
    let first = fixture.pass();
    assert_eq!(fixture.output(), b"replica: main-3 3 $(ABSENT)\n".repeat(10_000));
    assert_eq!(first.fingerprint.config, Some(Digest::of(&text)));
    assert_eq!(first.unset, Unset { count: 10_000, names: ["ABSENT".to_owned()].into() });
    assert_eq!(first, Found { written: true, ..fixture.pass() });
    assert!(!fixture.pass().written);
}

#[test]
fn compression_makes_no_difference() {
    let fixture = Fixture::new();
    let text = b"scrape_configs: []\n".repeat(1000);
    fixture.config(&gzip(&text, 1));
    let first = fixture.pass();
    let halves = text.split_at(700);
    for bytes in [gzip(&text, 9), [gzip(halves.0, 6), gzip(halves.1, 6)].concat(), text.clone()] {
        fixture.config(&bytes);
        assert_eq!(fixture.pass(), Found { written: false, ..first.clone() });
    }
}

#[test]
fn a_changed_rule_changes_the_fingerprint_but_not_the_output() {
    let fixture = Fixture::new();
    fixture.config(b"a");
    let first = fixture.pass();
    fs::write(fixture.directory.path().join("rules/r.yaml"), "groups: []").unwrap();
    let second = fixture.pass();
    assert_eq!(second.fingerprint.config, first.fingerprint.config);
    assert_ne!(second.fingerprint.watched, first.fingerprint.watched);
    assert!(!second.written);
}

#[test]
fn a_modified_output_is_written_again() {
    let fixture = Fixture::new();
    fixture.config(b"a: 1\n");
    let first = fixture.pass();
    fs::write(fixture.files.output.as_ref().unwrap(), "a: 2\n").unwrap();
    assert_eq!(fixture.pass(), first);
    assert_eq!(fixture.output(), b"a: 1\n");
}

#[test]
fn a_truncated_configuration_does_not_change_the_output() {
    let fixture = Fixture::new();
    fixture.config(b"good\n");
    fixture.pass();
    let bytes = gzip(&b"bad\n".repeat(100_000), 6);
    fixture.config(&bytes[..bytes.len() - 20]);
    let error = pass(&fixture.files, &Environment::default()).unwrap_err();
    assert_eq!(error.reason(), Reason::Read);
    assert_eq!(fixture.output(), b"good\n");
    assert!(!fixture.directory.path().join("out.yaml.tmp").exists());
}

#[test]
fn a_configuration_that_is_too_large_does_not_change_the_output() {
    let fixture = Fixture::new();
    fixture.config(b"good\n");
    fixture.pass();
    // Too large before expansion, and too large after it.
    let megabyte = gzip(&vec![0; 1 << 20], 6);
    let long = [(b"LONG".to_vec(), vec![b'x'; 1 << 20])];
    for (bytes, environment, reason) in [
        (megabyte.repeat(65), Environment::default(), Reason::Read),
        (b"$(LONG)\n".repeat(65), Environment::of(long, "POD_NAME"), Reason::Write),
    ] {
        fixture.config(&bytes);
        let error = pass(&fixture.files, &environment).unwrap_err();
        assert_eq!(error.reason(), reason);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(source, "larger than 64 MiB; the previous configuration stays in use");
        assert_eq!(fixture.output(), b"good\n");
    }
    fixture.config(b"better\n");
    fixture.pass();
    assert_eq!(fixture.output(), b"better\n");
}

#[test]
fn without_an_output_file_the_configuration_is_only_hashed() {
    let mut fixture = Fixture::new();
    fixture.files.output = None;
    fixture.config(&gzip(b"$(ABSENT)", 6));
    assert_eq!(fixture.pass().fingerprint.config, Some(Digest::of(b"$(ABSENT)")));
    assert_eq!(fixture.pass().unset, Unset::default());
}
