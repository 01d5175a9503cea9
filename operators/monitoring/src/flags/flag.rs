//! What a flag is, and groups of them. Parsing, help and reference pages all come from the lists of [`Fields`].

use crate::flags::value::Value;

/// One flag of the settings `G`.
#[derive(Debug)]
pub(crate) struct Flag<G> {
    /// Without its dashes.
    pub(crate) name: &'static str,
    /// What it does, in one line.
    pub(crate) help: &'static str,
    /// What it sets.
    pub(crate) field: fn(&mut G) -> &mut dyn Value,
}

/// Settings that flags fill.
pub(crate) trait Fields: Sized + 'static {
    /// What all of them are about.
    const TITLE: &'static str;
    /// The flags, in the order in which they are shown.
    const FLAGS: &'static [Flag<Self>];
}

/// A flag as users read about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Description {
    /// Without its dashes.
    pub(crate) name: &'static str,
    /// What a value looks like; empty, if none is needed.
    pub(crate) form: &'static str,
    /// The value when the flag is not given; empty, if there is none.
    pub(crate) default: String,
    /// Whether each further time adds to what was given before.
    pub(crate) adds: bool,
    /// What it does.
    pub(crate) help: &'static str,
}

/// The groups of a program.
pub(crate) type Groups<'g> = Vec<&'g mut (dyn Group + 'static)>;

/// Settings of any group.
pub(crate) trait Group {
    /// What all of them are about.
    fn title(&self) -> &'static str;

    /// The flags, as users read about them.
    fn descriptions(&mut self) -> Vec<Description>;

    /// What a flag sets, with the name of the flag; nothing, if there is no such flag.
    fn field(&mut self, name: &str) -> Option<(&'static str, &mut dyn Value)>;
}

impl<G: Fields> Group for G {
    fn title(&self) -> &'static str {
        G::TITLE
    }

    fn descriptions(&mut self) -> Vec<Description> {
        let describe = |flag: &Flag<G>| {
            let value = (flag.field)(self);
            Description {
                name: flag.name,
                form: value.form(),
                default: value.show(),
                adds: value.adds(),
                help: flag.help,
            }
        };
        G::FLAGS.iter().map(describe).collect()
    }

    fn field(&mut self, name: &str) -> Option<(&'static str, &mut dyn Value)> {
        let flag = G::FLAGS.iter().find(|flag| flag.name == name)?;
        Some((flag.name, (flag.field)(self)))
    }
}
