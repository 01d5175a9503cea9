//! What a flag is. Parsing, help and reference pages all follow from the same lists of flags.

use crate::flags::value::FlagValue;

/// A flag, and the setting that it sets.
pub(crate) struct Flag<'s> {
    /// Its name, without dashes.
    pub(crate) name: &'static str,
    /// What it does, in one line.
    pub(crate) help: &'static str,
    /// The setting.
    pub(crate) value: &'s mut (dyn FlagValue + 'static),
}

/// The flags about one topic, in the order in which they are shown.
pub(crate) struct Group<'s> {
    /// The topic.
    pub(crate) title: &'static str,
    /// The flags.
    pub(crate) flags: Vec<Flag<'s>>,
}

/// All flags of a program, in the order in which they are shown.
pub struct Groups<'s>(pub(crate) Vec<Group<'s>>);

impl<'s> Flag<'s> {
    /// A flag that sets a value.
    pub(crate) fn new(name: &'static str, value: &'s mut (dyn FlagValue + 'static)) -> Self {
        Self { name, help: "", value }
    }

    /// The same with its help text.
    pub(crate) fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

impl<'s> Groups<'s> {
    /// All flags, one after the other.
    pub(crate) fn flags(&mut self) -> impl Iterator<Item = &mut Flag<'s>> {
        self.0.iter_mut().flat_map(|group| &mut group.flags)
    }

    /// The flag with this name.
    pub(crate) fn find(&mut self, name: &str) -> Option<&mut Flag<'s>> {
        self.flags().find(|flag| flag.name == name)
    }
}
