//! Compressed configurations, as members that stand side by side. A reader takes them for one file; a writer compresses
//! only those that changed.
//!
//! Where a member ends is decided by the names of its parts, not by their number: a part that is added, removed or changed
//! touches its own member and, at most, the one after it. History leaves no trace: the same parts give the same bytes.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};

/// How many bytes a compressed configuration may unpack to. The reloader has the same bound. A megabyte of gzip can hold a
/// thousand times as much, so nobody unpacks without a bound what somebody else may have written.
pub const LARGEST: u64 = 64 << 20;

/// Bytes that are compared at once.
const CHUNK: usize = 64 * 1024;

/// One part in so many ends its member.
const PARTS_IN_A_MEMBER: u64 = 64;

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// Its name, which stays when its text changes: two texts, of which the first may be the same for many.
    pub name: [&'a str; 2],
    /// Its text. Who gives the same one again is known by that, without a look at it.
    pub text: &'a Arc<str>,
}

/// Compresses, and remembers the members of the file that it wrote last.
#[derive(Debug, Clone, Default)]
pub struct Compressor {
    members: HashMap<u64, Vec<Member>>,
    compressed: usize,
}

/// A member and what it was made from.
#[derive(Debug, Clone)]
struct Member {
    texts: Vec<Arc<str>>,
    bytes: Arc<[u8]>,
}

impl Member {
    fn is_of(&self, parts: &[Part<'_>]) -> bool {
        let same = |(text, part): (&Arc<str>, &Part<'_>)| Arc::ptr_eq(text, part.text) || text == part.text;
        self.texts.len() == parts.len() && self.texts.iter().zip(parts).all(same)
    }
}

impl Compressor {
    /// The file that these parts make, one after the other.
    pub fn file(&mut self, parts: &[Part<'_>]) -> Vec<u8> {
        let mut before = std::mem::take(&mut self.members);
        self.compressed = 0;
        let mut file = Vec::new();
        for group in groups(parts) {
            // Every member ends with a part of its own, so hardly two have the same key.
            let key = group.last().map_or(0, |part| hash(part.name));
            let alike = before.get_mut(&key);
            let known = alike.and_then(|alike| {
                let at = alike.iter().position(|member| member.is_of(group))?;
                Some(alike.swap_remove(at))
            });
            let member = known.unwrap_or_else(|| {
                self.compressed += 1;
                let text: String = group.iter().map(|part| &**part.text).collect();
                let texts = group.iter().map(|part| Arc::clone(part.text)).collect();
                Member { bytes: compressed(&text).into(), texts }
            });
            file.extend_from_slice(&member.bytes);
            self.members.entry(key).or_default().push(member);
        }
        if file.is_empty() {
            // Nothing at all is no file of this kind.
            file = compressed("");
        }
        file
    }

    /// How many members were compressed for the last file; the others were at hand.
    pub fn compressed(&self) -> usize {
        self.compressed
    }
}

/// Whether a file begins as a compressed one does.
pub fn is_compressed(file: &[u8]) -> bool {
    file.starts_with(&[0x1f, 0x8b])
}

/// What a compressed file holds, as a stream that fails past [`LARGEST`] bytes.
pub fn unpacked(file: &[u8]) -> impl Read {
    Bounded { decoder: MultiGzDecoder::new(file), left: LARGEST }
}

/// Whether two compressed files hold the same text. They are compared as streams, up to the first difference: memory does
/// not depend on what they hold.
pub fn hold_the_same(one: &[u8], other: &[u8]) -> bool {
    one == other || same_stream(unpacked(one), unpacked(other)).unwrap_or(false)
}

fn same_stream(mut one: impl Read, mut other: impl Read) -> io::Result<bool> {
    let (mut ours, mut theirs) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let (length, others) = (fill(&mut one, &mut ours)?, fill(&mut other, &mut theirs)?);
        if ours[..length] != theirs[..others] {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
    }
}

/// Reads until the buffer is full or the stream ends.
fn fill(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..])? {
            0 => break,
            length => filled += length,
        }
    }
    Ok(filled)
}

/// A stream that fails where a bound is passed.
struct Bounded<R> {
    decoder: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.decoder.read(buffer)?;
        let Some(left) = self.left.checked_sub(length as u64) else {
            let words = format!("it unpacks to more than {} MiB", LARGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
        };
        self.left = left;
        Ok(length)
    }
}

/// Parts that share a member.
fn groups<'p, 'a>(parts: &'p [Part<'a>]) -> impl Iterator<Item = &'p [Part<'a>]> {
    parts.split_inclusive(|part| hash(part.name).is_multiple_of(PARTS_IN_A_MEMBER))
}

/// FNV-1a: short, and the same on every machine and in every release, since boundaries that move would rewrite files.
fn hash(name: [&str; 2]) -> u64 {
    name.iter().flat_map(|text| text.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// One member. It carries no name and no time.
fn compressed(text: &str) -> Vec<u8> {
    let mut writer = GzBuilder::new().write(Vec::new(), Compression::default());
    writer
        .write_all(text.as_bytes())
        .and_then(|()| writer.finish())
        .expect("memory takes all that is written to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(names: &[String]) -> Vec<(String, Arc<str>)> {
        names
            .iter()
            .map(|name| (name.clone(), format!("- job_name: {name}\n  scrape_interval: 30s\n").into()))
            .collect()
    }

    fn file(compressor: &mut Compressor, parts: &[(String, Arc<str>)]) -> Vec<u8> {
        let parts: Vec<Part<'_>> = parts.iter().map(|(name, text)| Part { name: ["", name], text }).collect();
        compressor.file(&parts)
    }

    fn read(file: &[u8]) -> String {
        let mut text = String::new();
        MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
        text
    }

    fn thousand() -> Vec<(String, Arc<str>)> {
        parts(&(0..1000).map(|number| format!("serviceMonitor/team/service-{number}/0")).collect::<Vec<_>>())
    }

    #[test]
    fn a_file_of_many_members_is_read_as_one() {
        let parts = thousand();
        let whole: String = parts.iter().map(|(_, text)| &**text).collect();
        let mut compressor = Compressor::default();
        assert_eq!(read(&file(&mut compressor, &parts)), whole);
        assert!(compressor.compressed() > 5, "{}", compressor.compressed());
        assert_eq!(read(&file(&mut compressor, &[])), "");
    }

    #[test]
    fn a_change_compresses_one_member() {
        let mut parts = thousand();
        let mut compressor = Compressor::default();
        file(&mut compressor, &parts);
        parts[500].1 = format!("{}  scrape_timeout: 10s\n", parts[500].1).into();
        file(&mut compressor, &parts);
        assert_eq!(compressor.compressed(), 1);
        file(&mut compressor, &parts);
        assert_eq!(compressor.compressed(), 0);
        // The same text in another place of memory is the same text.
        parts[500].1 = parts[500].1.to_string().into();
        file(&mut compressor, &parts);
        assert_eq!(compressor.compressed(), 0);
    }

    #[test]
    fn a_part_that_comes_or_goes_touches_two_members_at_most() {
        let mut parts = thousand();
        let mut compressor = Compressor::default();
        file(&mut compressor, &parts);
        for number in 0..200 {
            let added = (format!("serviceMonitor/other/new-{number}/0"), "- job_name: new\n".into());
            parts.insert(number * 5, added);
            file(&mut compressor, &parts);
            assert!(compressor.compressed() <= 2, "{}", compressor.compressed());
            parts.remove(number * 5);
            file(&mut compressor, &parts);
            assert!(compressor.compressed() <= 2, "{}", compressor.compressed());
        }
    }

    /// One member of so many mebibytes of zeros.
    fn zeros(mebibytes: usize) -> Vec<u8> {
        let mut writer = GzBuilder::new().write(Vec::new(), Compression::fast());
        io::copy(&mut io::repeat(0).take((mebibytes as u64) << 20), &mut writer).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn what_unpacks_to_too_much_is_an_error_and_nothing_is_like_it() {
        let bomb = zeros(65);
        assert!(bomb.len() < 1 << 20);
        let error = io::copy(&mut unpacked(&bomb), &mut io::sink()).unwrap_err();
        assert_eq!(error.to_string(), "it unpacks to more than 64 MiB");
        assert_eq!(io::copy(&mut unpacked(&zeros(64)), &mut io::sink()).unwrap(), LARGEST);
        // The same stream in other bytes.
        let halves = [zeros(32), zeros(33)].concat();
        assert!(!hold_the_same(&bomb, &halves));
    }

    #[test]
    fn memory_does_not_grow_with_what_is_compared() {
        let (one, other) = (zeros(60), [zeros(30), zeros(30)].concat());
        let used = allocation_counter::measure(|| assert!(hold_the_same(&one, &other)));
        assert!(used.bytes_max < 1 << 20, "{} bytes", used.bytes_max);
    }

    #[test]
    fn the_same_text_in_other_members_is_the_same() {
        let parts = thousand();
        let ours = file(&mut Compressor::default(), &parts);
        let theirs = compressed(&read(&ours));
        assert_ne!(ours, theirs);
        assert!(hold_the_same(&ours, &theirs));
        assert!(!hold_the_same(&ours, &theirs[..theirs.len() - 9]));
        assert!(!hold_the_same(&ours, &file(&mut Compressor::default(), &parts[1..])));
        assert!(!hold_the_same(&ours, &file(&mut Compressor::default(), &parts[..999])));
    }

    #[test]
    fn history_leaves_no_trace() {
        let parts = thousand();
        let mut compressor = Compressor::default();
        for count in [10, 700, 1000, 3] {
            file(&mut compressor, &parts[..count]);
        }
        assert_eq!(file(&mut compressor, &parts), file(&mut Compressor::default(), &parts));
    }
}
