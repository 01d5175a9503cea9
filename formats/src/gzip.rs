//! Compressed configurations of several gzip members. A reader concatenates the content of the members. A writer
//! compresses only members that changed.
//!
//! The names of the parts, not their number, decide where a member ends: a part that is added, removed or changed
//! affects its own member and at most the next one. The result does not depend on earlier files: the same parts yield
//! the same bytes.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};

/// How many bytes a compressed configuration can have when it is decompressed. The reloader has the same limit. A
/// gzip file of one megabyte can contain a gigabyte, so a file that somebody else could have written is never
/// decompressed without a limit.
pub const LARGEST: u64 = 64 << 20;

/// The number of bytes that are compared at once.
const CHUNK: usize = 64 * 1024;

/// On average, a member has this many parts.
const PARTS_IN_A_MEMBER: u64 = 64;

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedPart<'a> {
    /// A name that stays the same when the text changes. The first half can be the same for many parts.
    pub name: [&'a str; 2],
    /// The text. If it is the same allocation as before, it is not compared.
    pub text: &'a Arc<str>,
}

/// Compresses files, and keeps the members of the last one.
#[derive(Debug, Clone, Default)]
pub struct Compressor {
    members: HashMap<u64, Vec<Member>>,
    compressed: usize,
}

/// A member and the texts in it.
#[derive(Debug, Clone)]
struct Member {
    texts: Vec<Arc<str>>,
    bytes: Arc<[u8]>,
}

impl Member {
    fn is_of(&self, parts: &[NamedPart<'_>]) -> bool {
        let same =
            |(text, part): (&Arc<str>, &NamedPart<'_>)| Arc::ptr_eq(text, part.text) || text == part.text;
        self.texts.len() == parts.len() && self.texts.iter().zip(parts).all(same)
    }
}

impl Compressor {
    /// The compressed file with these parts in order.
    pub fn file(&mut self, parts: &[NamedPart<'_>]) -> Vec<u8> {
        let mut before = std::mem::take(&mut self.members);
        self.compressed = 0;
        let mut file = Vec::new();
        for group in groups(parts) {
            // The last part of nearly every member is different, so there are few collisions.
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
            // An empty file is not valid gzip.
            file = compressed("");
        }
        file
    }

    /// The number of members that were compressed for the last file. The others were reused.
    pub fn compressed(&self) -> usize {
        self.compressed
    }
}

/// Whether a file starts like a compressed one.
pub fn is_compressed(file: &[u8]) -> bool {
    file.starts_with(&[0x1f, 0x8b])
}

/// The content of a compressed file, as a stream that fails after [`LARGEST`] bytes.
pub fn unpacked(file: &[u8]) -> impl Read {
    Bounded { decoder: MultiGzDecoder::new(file), left: LARGEST }
}

/// Whether two compressed files have the same content. They are compared as streams up to the first difference, so
/// the memory that is used does not depend on their size.
pub fn have_equal_content(one: &[u8], other: &[u8]) -> bool {
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

/// A stream that fails at a limit.
struct Bounded<R> {
    decoder: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.decoder.read(buffer)?;
        let Some(left) = self.left.checked_sub(length as u64) else {
            let message = format!("it decompresses to more than {} MiB", LARGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        };
        self.left = left;
        Ok(length)
    }
}

/// Groups of parts that share a member.
fn groups<'p, 'a>(parts: &'p [NamedPart<'a>]) -> impl Iterator<Item = &'p [NamedPart<'a>]> {
    parts.split_inclusive(|part| hash(part.name).is_multiple_of(PARTS_IN_A_MEMBER))
}

/// FNV-1a. It must be the same on every machine and in every release, because different boundaries would change all
/// files.
fn hash(name: [&str; 2]) -> u64 {
    name.iter().flat_map(|text| text.bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A member, without a name and a time.
fn compressed(text: &str) -> Vec<u8> {
    let mut writer = GzBuilder::new().write(Vec::new(), Compression::default());
    writer.write_all(text.as_bytes()).and_then(|()| writer.finish()).expect("writing to memory does not fail")
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
        let parts: Vec<NamedPart<'_>> =
            parts.iter().map(|(name, text)| NamedPart { name: ["", name], text }).collect();
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
    fn a_file_with_many_members_is_read_as_one() {
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
        // An equal text in another allocation.
        parts[500].1 = parts[500].1.to_string().into();
        file(&mut compressor, &parts);
        assert_eq!(compressor.compressed(), 0);
    }

    #[test]
    fn adding_or_removing_a_part_compresses_two_members_at_most() {
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

    /// A member with this many mebibytes of zeros.
    fn zeros(mebibytes: usize) -> Vec<u8> {
        let mut writer = GzBuilder::new().write(Vec::new(), Compression::fast());
        io::copy(&mut io::repeat(0).take((mebibytes as u64) << 20), &mut writer).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn content_above_the_limit_is_an_error() {
        let bomb = zeros(65);
        assert!(bomb.len() < 1 << 20);
        let error = io::copy(&mut unpacked(&bomb), &mut io::sink()).unwrap_err();
        assert_eq!(error.to_string(), "it decompresses to more than 64 MiB");
        assert_eq!(io::copy(&mut unpacked(&zeros(64)), &mut io::sink()).unwrap(), LARGEST);
        // The same content in other members.
        let halves = [zeros(32), zeros(33)].concat();
        assert!(!have_equal_content(&bomb, &halves));
    }

    #[test]
    fn comparing_uses_constant_memory() {
        let (one, other) = (zeros(60), [zeros(30), zeros(30)].concat());
        let used = allocation_counter::measure(|| assert!(have_equal_content(&one, &other)));
        assert!(used.bytes_max < 1 << 20, "{} bytes", used.bytes_max);
    }

    #[test]
    fn equal_content_in_other_members_is_equal() {
        let parts = thousand();
        let ours = file(&mut Compressor::default(), &parts);
        let theirs = compressed(&read(&ours));
        assert_ne!(ours, theirs);
        assert!(have_equal_content(&ours, &theirs));
        assert!(!have_equal_content(&ours, &theirs[..theirs.len() - 9]));
        assert!(!have_equal_content(&ours, &file(&mut Compressor::default(), &parts[1..])));
        assert!(!have_equal_content(&ours, &file(&mut Compressor::default(), &parts[..999])));
    }

    #[test]
    fn a_file_does_not_depend_on_earlier_ones() {
        let parts = thousand();
        let mut compressor = Compressor::default();
        for count in [10, 700, 1000, 3] {
            file(&mut compressor, &parts[..count]);
        }
        assert_eq!(file(&mut compressor, &parts), file(&mut Compressor::default(), &parts));
    }
}
