//! Blocks, indentation and keys. Bytes are appended to one text; nothing is written twice.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::number;
use super::scalar::{self, Place, Style, is_break, is_printable};
use super::value::{Map, Value};

/// Text is folded at the first space behind this column.
const WIDTH: usize = 80;
/// Encoded bytes are written in lines of so many letters.
const BINARY_WIDTH: usize = 70;
/// How much a block is indented.
const INDENT: usize = 2;
/// A key of more bytes stands in a line of its own, behind a question mark.
const LONGEST_KEY: usize = 128;

pub(super) fn document(value: &Value) -> String {
    let mut writer = Writer { text: String::new(), column: 0 };
    writer.node(value, Block { indent: 0, inside: Inside::Document });
    writer.line(0);
    writer.text
}

/// What a block is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Document,
    /// Behind a key and its colon.
    Entry,
    /// Behind a dash or a question mark: the block begins in the same line.
    Item,
}

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// The column of the lines of a map or list here.
    indent: usize,
    inside: Inside,
}

struct Writer {
    text: String,
    /// Letters since the last line break.
    column: usize,
}

impl Writer {
    fn put(&mut self, letter: char) {
        self.text.push(letter);
        self.column = if letter == '\n' { 0 } else { self.column + 1 };
    }

    fn puts(&mut self, text: &str) {
        if text.bytes().all(|byte| byte.is_ascii() && byte != b'\n') {
            self.text.push_str(text);
            self.column += text.len();
        } else {
            text.chars().for_each(|letter| self.put(letter));
        }
    }

    /// Begins a line at a column.
    fn line(&mut self, indent: usize) {
        if self.column > 0 {
            self.put('\n');
        }
        while self.column < indent {
            self.put(' ');
        }
    }

    /// Something that stands behind a key or a dash.
    fn behind(&mut self, inside: Inside) {
        if inside == Inside::Entry {
            self.put(' ');
        }
    }

    fn node(&mut self, value: &Value, block: Block) {
        match value {
            Value::List(list) if !list.is_empty() => self.list(list, block),
            Value::Map(map) if !map.0.is_empty() => self.map(map, block),
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::Binary(_)
            | Value::List(_)
            | Value::Row(_)
            | Value::Map(_) => {
                self.behind(block.inside);
                self.scalar(value, Place::Elsewhere, block.indent);
            }
        }
    }

    /// A list. Below a key its dashes stand under the key.
    fn list(&mut self, list: &[Value], Block { indent, inside }: Block) {
        let dashes = if inside == Inside::Entry { indent - INDENT } else { indent };
        for (at, item) in list.iter().enumerate() {
            if at > 0 || inside == Inside::Entry {
                self.line(dashes);
            }
            self.puts("- ");
            self.node(item, Block { indent: dashes + INDENT, inside: Inside::Item });
        }
    }

    fn map(&mut self, map: &Map, Block { indent, inside }: Block) {
        for (at, (key, value)) in map.0.iter().enumerate() {
            if at > 0 || inside == Inside::Entry {
                self.line(indent);
            }
            if is_simple(key) {
                self.scalar(key, Place::Key, indent + INDENT);
                self.put(':');
                self.node(value, Block { indent: indent + INDENT, inside: Inside::Entry });
            } else {
                self.puts("? ");
                self.node(key, Block { indent: indent + INDENT, inside: Inside::Item });
                self.line(indent);
                self.puts(": ");
                self.node(value, Block { indent: indent + INDENT, inside: Inside::Item });
            }
        }
    }

    /// A value in one piece; lines that it needs more are indented so far.
    fn scalar(&mut self, value: &Value, place: Place, indent: usize) {
        match value {
            Value::Null => self.puts("null"),
            Value::Bool(truth) => self.puts(if *truth { "true" } else { "false" }),
            Value::Int(number) => self.puts(&number.to_string()),
            Value::Uint(number) => self.puts(&number.to_string()),
            Value::Float(number) => self.puts(&number::float(*number)),
            Value::List(_) => self.puts("[]"),
            Value::Row(texts) => self.row(texts, indent),
            Value::Map(_) => self.puts("{}"),
            Value::Text(text) => self.text(text, place, indent),
            Value::Binary(bytes) => self.binary(bytes, place, indent),
        }
    }

    /// Bytes in base64, in as many lines as they need.
    fn binary(&mut self, bytes: &[u8], place: Place, indent: usize) {
        self.puts("!!binary ");
        let encoded = STANDARD.encode(bytes);
        if encoded.len() < BINARY_WIDTH {
            self.puts(&encoded);
            return;
        }
        let mut lines = String::with_capacity(encoded.len() + encoded.len() / BINARY_WIDTH + 1);
        let mut rest = encoded.as_str();
        while !rest.is_empty() {
            let (line, more) = rest.split_at(rest.len().min(BINARY_WIDTH));
            lines.push_str(line);
            lines.push('\n');
            rest = more;
        }
        self.text(&lines, place, indent);
    }

    fn text(&mut self, text: &str, place: Place, indent: usize) {
        // A document that is nothing but a text is indented too.
        let lines = Lines { indent: indent.max(INDENT), folds: place != Place::Key };
        match scalar::style(text, place) {
            Style::Plain => self.plain(text, lines),
            Style::Single => self.single(text, lines),
            Style::Double => self.double(text, lines),
            Style::Literal => self.literal(text, lines),
        }
    }

    /// A list in one line, or in a few.
    fn row(&mut self, texts: &[String], indent: usize) {
        self.put('[');
        for (at, text) in texts.iter().enumerate() {
            if at > 0 {
                self.put(',');
            }
            if self.column > WIDTH {
                self.line(indent);
            } else if at > 0 {
                self.put(' ');
            }
            self.text(text, Place::Row, indent);
        }
        self.put(']');
    }

    /// Writes letters and folds at spaces: at one that has none beside it, in the middle of a text.
    fn folded(&mut self, text: &str, lines: Lines, quote: Option<char>) {
        if !text.contains(|letter| letter == ' ' || is_break(letter) || Some(letter) == quote) {
            self.puts(text);
            return;
        }
        let (mut spaces, mut breaks) = (false, false);
        let mut first = true;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let next = letters.peek();
            if letter == ' ' {
                let inner = quote.is_none() || (!first && next.is_some());
                if lines.folds && !spaces && self.column > WIDTH && inner && next != Some(&' ') {
                    self.line(lines.indent);
                } else {
                    self.put(letter);
                }
                spaces = true;
            } else if is_break(letter) {
                if !breaks && letter == '\n' {
                    self.put('\n');
                }
                self.put_break(letter);
                breaks = true;
            } else {
                if breaks {
                    self.line(lines.indent);
                }
                if Some(letter) == quote {
                    self.put(letter);
                }
                self.put(letter);
                (spaces, breaks) = (false, false);
            }
            first = false;
        }
    }

    fn put_break(&mut self, letter: char) {
        self.text.push(letter);
        self.column = 0;
    }

    fn plain(&mut self, text: &str, lines: Lines) {
        self.folded(text, lines, None);
    }

    fn single(&mut self, text: &str, lines: Lines) {
        self.put('\'');
        self.folded(text, lines, Some('\''));
        self.put('\'');
    }

    fn double(&mut self, text: &str, lines: Lines) {
        self.put('"');
        // Behind a mark of byte order nothing stands for itself.
        let marked = text.starts_with('\u{feff}');
        let mut spaces = false;
        let mut first = true;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let next = letters.peek();
            let is_escaped =
                marked || !is_printable(letter) || is_break(letter) || letter == '"' || letter == '\\';
            if is_escaped {
                self.puts(&escape(letter));
                spaces = false;
            } else if letter == ' ' {
                if lines.folds && !spaces && self.column > WIDTH && !first && next.is_some() {
                    self.line(lines.indent);
                    if next == Some(&' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(letter);
                }
                spaces = true;
            } else {
                self.put(letter);
                spaces = false;
            }
            first = false;
        }
        self.put('"');
    }

    fn literal(&mut self, text: &str, lines: Lines) {
        self.put('|');
        if text.starts_with(|first| first == ' ' || is_break(first)) {
            self.puts(&INDENT.to_string());
        }
        let mut end = text.chars().rev();
        match (end.next(), end.next()) {
            (Some(last), before) if is_break(last) => {
                if before.is_none_or(is_break) {
                    self.put('+');
                }
            }
            _ => self.put('-'),
        }
        self.put('\n');
        let mut breaks = true;
        for letter in text.chars() {
            if is_break(letter) {
                self.put_break(letter);
                breaks = true;
            } else {
                if breaks {
                    self.line(lines.indent);
                }
                self.put(letter);
                breaks = false;
            }
        }
    }
}

/// How a text goes on in further lines.
#[derive(Debug, Clone, Copy)]
struct Lines {
    indent: usize,
    /// Whether it may be folded.
    folds: bool,
}

/// Whether a key is in one line with its value.
fn is_simple(key: &Value) -> bool {
    match key {
        Value::Text(text) => text.len() <= LONGEST_KEY && !scalar::has_breaks(text),
        Value::List(list) => list.is_empty(),
        Value::Row(texts) => texts.is_empty(),
        Value::Map(map) => map.0.is_empty(),
        Value::Binary(bytes) => bytes.len() < LONGEST_KEY / 4,
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) => true,
    }
}

fn escape(letter: char) -> String {
    let short = match letter {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        other => {
            let code = u32::from(other);
            return match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}
