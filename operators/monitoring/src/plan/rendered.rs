//! What was made of the resources that a workload selects: what each adds to its configuration, or why it is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_monitoring::{PerKind, SelectableKind};
use formats::gzip::Compressor;
use kernel::object::{Key, Object};
use kernel::report::Selected;
use monitoring_alerting::merge::Part;
use monitoring_assets::Objects;
use monitoring_rules::file::RuleFile;
use monitoring_rules::pack::Files;
use monitoring_scrape::Fragment;

use crate::kinds;
use crate::plan::context::LeftOut;
use crate::plan::memo::{Memo, Read};
use crate::plan::selection::Selection;

/// What a resource adds.
#[derive(Debug, Clone)]
pub enum Addition {
    /// Scrape jobs.
    Jobs(Fragment),
    /// A file with rules.
    Rules {
        /// The name of the file.
        name: String,
        /// The file.
        file: RuleFile,
    },
    /// Routes and receivers of alerts; nothing, if the resource is what everything is added to.
    Routes(Option<Box<Part>>),
}

/// A resource that is taken in.
#[derive(Debug, Clone)]
pub struct Taken {
    /// What it adds.
    pub addition: Addition,
    /// Certificates and keys that must be mounted, by the names of their files.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What is remembered of the resources of a workload from one pass to the next.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    of: PerKind<Memo<Result<Taken, String>>>,
    /// The compressed configuration.
    pub compressor: Compressor,
}

/// What became of a selected resource.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'r> {
    /// Its kind.
    pub kind: SelectableKind,
    /// The resource.
    pub object: &'r Arc<Object>,
    /// The versions of what was read for it.
    pub read: &'r [Read],
    /// Why it is not taken in; nothing, if it is.
    pub refusal: Option<&'r str>,
}

impl Rendered {
    /// Goes through the selected resources of a kind. `options` are what of the workload matters to them.
    pub(crate) fn pass(
        &mut self,
        kind: SelectableKind,
        options: Vec<u8>,
        (objects, selection): (&Objects, &Selection),
        make: impl Fn(&Object) -> Result<Taken, String>,
    ) {
        self.of[kind].pass(options, objects, selection, make);
    }

    /// Forgets the resources of a kind: none of them is taken in.
    pub(crate) fn clear(&mut self, kind: SelectableKind) {
        self.of[kind] = Memo::default();
    }

    /// What was made of the resources of a kind.
    pub fn memo(&self, kind: SelectableKind) -> &Memo<Result<Taken, String>> {
        &self.of[kind]
    }

    /// What became of all resources.
    pub fn judged(&self) -> impl Iterator<Item = Judged<'_>> {
        self.of.iter().flat_map(|(kind, memo)| {
            memo.objects().map(move |(object, read, taken)| Judged {
                kind,
                object,
                read,
                refusal: taken.as_ref().err().map(String::as_str),
            })
        })
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.of.iter().all(|(_, memo)| memo.is_empty())
    }

    fn taken<'r>(
        &'r self,
        kind: SelectableKind,
        without: &'r BTreeSet<String>,
    ) -> impl Iterator<Item = (&'r Arc<str>, &'r Taken)> {
        let taken = self.of[kind].iter().filter_map(|(name, taken)| Some((name, taken.as_ref().ok()?)));
        taken.filter(|(name, _)| without.is_empty() || !without.contains(&***name))
    }

    /// The jobs of the resources of a kind.
    pub(crate) fn fragments<'r>(
        &'r self,
        kind: SelectableKind,
        left_out: &'r LeftOut,
    ) -> impl Iterator<Item = (&'r Arc<str>, &'r Fragment)> {
        self.taken(kind, &left_out[kind]).filter_map(|(name, taken)| match &taken.addition {
            Addition::Jobs(fragment) => Some((name, fragment)),
            Addition::Rules { .. } | Addition::Routes(_) => None,
        })
    }

    /// All files with rules.
    pub(crate) fn rule_files(&self, left_out: &LeftOut) -> Files {
        let kind = SelectableKind::PrometheusRule;
        let file = |(_, taken): (&Arc<str>, &Taken)| match &taken.addition {
            Addition::Rules { name, file } => Some((name.clone(), file.text.clone())),
            Addition::Jobs(_) | Addition::Routes(_) => None,
        };
        self.taken(kind, &left_out[kind]).filter_map(file).collect()
    }

    /// The names of the files with rules, with the resources that they hold.
    pub(crate) fn rule_file_names(&self) -> BTreeMap<String, Key> {
        let rules = self.of[SelectableKind::PrometheusRule].objects();
        let named = rules.filter_map(|(object, _, taken)| match &taken.as_ref().ok()?.addition {
            Addition::Rules { name, .. } => Some((name.clone(), object.key().clone())),
            Addition::Jobs(_) | Addition::Routes(_) => None,
        });
        named.collect()
    }

    /// All routes.
    pub(crate) fn routes<'r>(&'r self, left_out: &'r LeftOut) -> impl Iterator<Item = &'r Part> {
        let kind = SelectableKind::AlertmanagerConfig;
        self.taken(kind, &left_out[kind]).filter_map(|(_, taken)| match &taken.addition {
            Addition::Routes(part) => part.as_deref(),
            Addition::Jobs(_) | Addition::Rules { .. } => None,
        })
    }

    /// Certificates and keys of all resources.
    pub(crate) fn files(&self, left_out: &LeftOut) -> BTreeMap<String, Vec<u8>> {
        let taken = SelectableKind::ALL.into_iter().flat_map(|kind| self.taken(kind, &left_out[kind]));
        let files = taken.flat_map(|(_, taken)| &taken.files);
        files.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
    }

    /// How many resources of some kinds are selected, with what the operand refuses among the `judged`.
    pub(crate) fn count(kinds: &[SelectableKind], judged: &[Judged<'_>]) -> Vec<Selected> {
        let count = |kind: SelectableKind| {
            let these = judged.iter().filter(|one| one.kind == kind);
            let (all, rejected) = these.fold((0, 0), |(all, rejected), one| {
                (all + 1, rejected + usize::from(one.refusal.is_some()))
            });
            // The Prometheus Operator counts what it rejects among the selected, but for AlertmanagerConfigs.
            let is_good_only = kind == SelectableKind::AlertmanagerConfig;
            let selected = all - if is_good_only { rejected } else { 0 };
            Selected { kind: kinds::selectable(kind), selected, rejected }
        };
        kinds.iter().copied().map(count).collect()
    }
}
