//! The flags of the stand-alone webhook.

use go_syntax::quoted::Quoted;
use monitoring_rules::Options;
use monitoring_rules::names::Names;

use crate::flags::error::FlagError;
use crate::flags::flag::{Flag, Group, Groups};
use crate::flags::gates::Gate;
use crate::flags::log::{LogFlags, memory};
use crate::flags::program::Program;
use crate::flags::value::{Choice, FlagValue, RejectedValue};
use crate::flags::web::WebFlags;
use crate::webhook::RuleSettings;

/// The flags of the webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookFlags {
    /// How rules are checked.
    pub rules: RuleSettings,
    /// The web server.
    pub web: WebFlags,
    /// What is logged.
    pub log: LogFlags,
    /// Accepted without effect.
    pub memory_limit_ratio: f64,
}

impl Default for WebhookFlags {
    fn default() -> Self {
        Self {
            rules: RuleSettings::default(),
            web: WebFlags::new(":8443", true),
            log: LogFlags::default(),
            memory_limit_ratio: 0.0,
        }
    }
}

impl Program for WebhookFlags {
    const USAGE: &'static str = "[FLAGS]";
    const HAS_COMMANDS: bool = false;
    const GATES: &'static [Gate] = &[];

    fn groups(&mut self) -> Groups<'_> {
        let rules = vec![
            Flag::new("name-validation-scheme", &mut self.rules.names)
                .help("Valid names of metrics and labels: ASCII letters, digits and underscores, or any UTF-8."),
            Flag::new("promql-options", &mut self.rules.queries).help(
                "Experimental features that queries may use: experimental-functions, duration-expression-parsing, \
                 extended-range-selectors, binop-fill-modifiers.",
            ),
        ];
        let rules = Group { title: "Rules", flags: rules };
        Groups(vec![rules, self.web.group(), self.log.group(), memory(&mut self.memory_limit_ratio)])
    }

    fn check(&self) -> Result<(), FlagError> {
        self.web.tls()?;
        Ok(())
    }
}

impl Choice for Names {
    const WORDS: &'static [(&'static str, Self)] = &[("legacy", Self::Legacy), ("utf8", Self::Utf8)];

    fn reject(text: &str) -> RejectedValue {
        let problem = format!("invalid name validation scheme {}", Quoted(text));
        RejectedValue::Start(format!("{problem}, supported: utf8, legacy"))
    }
}

type OptionField = fn(&mut Options) -> &mut bool;

const OPTIONS: [(&str, OptionField); 4] = [
    ("experimental-functions", |options| &mut options.experimental_functions),
    ("duration-expression-parsing", |options| &mut options.duration_expressions),
    ("extended-range-selectors", |options| &mut options.extended_ranges),
    ("binop-fill-modifiers", |options| &mut options.fill_modifiers),
];

/// A repeated flag replaces all options.
impl FlagValue for Options {
    fn form(&self) -> String {
        "LIST".to_owned()
    }

    fn show(&self) -> String {
        let mut options = *self;
        let on = OPTIONS.into_iter().filter(|(_, option)| *option(&mut options)).map(|(name, _)| name);
        on.collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        *self = Self::default();
        for written in text.split(',').filter(|written| !written.trim().is_empty()) {
            let Some((_, option)) = OPTIONS.iter().find(|(name, _)| *name == written.trim()) else {
                let supported = OPTIONS.map(|(name, _)| name).join(", ");
                let problem =
                    format!("invalid -promql-options value {}, supported: {supported}", Quoted(written));
                return Err(RejectedValue::Start(problem));
            };
            *option(self) = true;
        }
        Ok(())
    }
}
