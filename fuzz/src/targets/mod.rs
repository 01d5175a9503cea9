//! The properties that must hold for any input, one file for each parser.

pub(crate) mod alertmanager_config;
pub(crate) mod alertmanager_file;
pub(crate) mod rules;
pub(crate) mod templates;
mod versions;
pub(crate) mod yaml_emitter;
pub(crate) mod yaml_reader;
