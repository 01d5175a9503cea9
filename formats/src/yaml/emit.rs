//! The emitter of blocks, indentation and keys. It appends to one text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::number;
use super::scalar::{self, Position, Style, is_break, is_printable};
use super::value::{Map, Value};

/// Text is folded at the first space after this column.
const WIDTH: usize = 80;
/// Base64 is written in lines of this length.
const BINARY_WIDTH: usize = 70;
/// The indentation of a block.
const INDENT: usize = 2;
/// A longer key, in bytes, has a line of its own, after a question mark.
const LONGEST_KEY: usize = 128;

pub(super) fn document(value: &Value) -> String {
    let mut writer = Writer { text: String::new(), column: 0 };
    writer.node(value, Block { indent: 0, inside: Inside::Document });
    writer.line(0);
    writer.text
}

/// What contains a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Document,
    /// An entry of a map: the block is after a key and its colon.
    Entry,
    /// An item of a list, or a complex key: the block starts on the same line.
    Item,
}

/// The context of a value.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// The column of a map or list in this context.
    indent: usize,
    inside: Inside,
}

struct Writer {
    text: String,
    /// The number of characters since the last line break.
    column: usize,
}

impl Writer {
    fn put(&mut self, character: char) {
        self.text.push(character);
        self.column = if character == '\n' { 0 } else { self.column + 1 };
    }

    fn puts(&mut self, text: &str) {
        if text.bytes().all(|byte| byte.is_ascii() && byte != b'\n') {
            self.text.push_str(text);
            self.column += text.len();
        } else {
            text.chars().for_each(|character| self.put(character));
        }
    }

    /// Starts a line with an indentation.
    fn line(&mut self, indent: usize) {
        if self.column > 0 {
            self.put('\n');
        }
        while self.column < indent {
            self.put(' ');
        }
    }

    /// Adds the space before a value, if one is needed.
    fn space_before_value(&mut self, inside: Inside) {
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
                self.space_before_value(block.inside);
                self.scalar(value, Position::Elsewhere, block.indent);
            }
        }
    }

    /// A list. Its dashes are at the column of the key.
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
                self.scalar(key, Position::Key, indent + INDENT);
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

    /// A scalar, or an empty list or map. Further lines are indented.
    fn scalar(&mut self, value: &Value, position: Position, indent: usize) {
        match value {
            Value::Null => self.puts("null"),
            Value::Bool(truth) => self.puts(if *truth { "true" } else { "false" }),
            Value::Int(number) => self.puts(&number.to_string()),
            Value::Uint(number) => self.puts(&number.to_string()),
            Value::Float(number) => self.puts(&number::float(*number)),
            Value::List(_) => self.puts("[]"),
            Value::Row(texts) => self.row(texts, indent),
            Value::Map(_) => self.puts("{}"),
            Value::Text(text) => self.text(text, position, indent),
            Value::Binary(bytes) => self.binary(bytes, position, indent),
        }
    }

    /// Bytes in base64, on several lines if necessary.
    fn binary(&mut self, bytes: &[u8], position: Position, indent: usize) {
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
        self.text(&lines, position, indent);
    }

    fn text(&mut self, text: &str, position: Position, indent: usize) {
        // A document that is only a text is indented too.
        let lines = Lines { indent: indent.max(INDENT), folds: position != Position::Key };
        match scalar::style(text, position) {
            Style::Plain => self.plain(text, lines),
            Style::Single => self.single(text, lines),
            Style::Double => self.double(text, lines),
            Style::Literal => self.literal(text, lines),
        }
    }

    /// A list between brackets, folded if it is long.
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
            self.text(text, Position::Row, indent);
        }
        self.put(']');
    }

    /// Writes a text and folds it at single spaces inside the text.
    fn folded(&mut self, text: &str, lines: Lines, quote: Option<char>) {
        if !text.contains(|character| character == ' ' || is_break(character) || Some(character) == quote) {
            self.puts(text);
            return;
        }
        let (mut spaces, mut breaks) = (false, false);
        let mut first = true;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek();
            if character == ' ' {
                let inner = quote.is_none() || (!first && next.is_some());
                if lines.folds && !spaces && self.column > WIDTH && inner && next != Some(&' ') {
                    self.line(lines.indent);
                } else {
                    self.put(character);
                }
                spaces = true;
            } else if is_break(character) {
                if !breaks && character == '\n' {
                    self.put('\n');
                }
                self.put_break(character);
                breaks = true;
            } else {
                if breaks {
                    self.line(lines.indent);
                }
                if Some(character) == quote {
                    self.put(character);
                }
                self.put(character);
                (spaces, breaks) = (false, false);
            }
            first = false;
        }
    }

    fn put_break(&mut self, character: char) {
        self.text.push(character);
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
        // After a byte order mark, libyaml escapes everything.
        let marked = text.starts_with('\u{feff}');
        let mut spaces = false;
        let mut first = true;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek();
            let is_escaped = marked
                || !is_printable(character)
                || is_break(character)
                || character == '"'
                || character == '\\';
            if is_escaped {
                self.puts(&escape(character));
                spaces = false;
            } else if character == ' ' {
                if lines.folds && !spaces && self.column > WIDTH && !first && next.is_some() {
                    self.line(lines.indent);
                    if next == Some(&' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(character);
                }
                spaces = true;
            } else {
                self.put(character);
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
        for character in text.chars() {
            if is_break(character) {
                self.put_break(character);
                breaks = true;
            } else {
                if breaks {
                    self.line(lines.indent);
                }
                self.put(character);
                breaks = false;
            }
        }
    }
}

/// How a text with several lines is written.
#[derive(Debug, Clone, Copy)]
struct Lines {
    indent: usize,
    /// Whether it may be folded.
    folds: bool,
}

/// Whether a key fits on the line of its value.
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

fn escape(character: char) -> String {
    let short = match character {
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
