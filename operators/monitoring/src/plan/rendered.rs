//! What each of the resources that a workload selects contributes to its configuration, or why it is rejected.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_monitoring::{PerKind, SelectableKind};
use formats::gzip::Compressor;
use kernel::object::{Key, Object};
use kernel::report::SelectedCount;
use monitoring_alerting::merge::ConfigPart;
use monitoring_assets::Objects;
use monitoring_rules::pack::Files;
use monitoring_scrape::Fragment;

use crate::kinds;
use crate::plan::context::Excluded;
use crate::plan::memo::{Memo, Read};
use crate::plan::selection::Selection;

/// What a resource contributes to the configuration.
#[derive(Debug, Clone, Default)]
pub struct Contribution {
    /// Scrape jobs.
    pub jobs: Option<Fragment>,
    /// A file with rules: its name and its text.
    pub rules: Option<(String, String)>,
    /// Routes and receivers of alerts.
    pub routes: Option<Box<ConfigPart>>,
    /// Certificates and keys that must be mounted, by the names of their files.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What is remembered of the selected resources of a workload between passes.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    of: PerKind<Memo<Result<Contribution, String>>>,
    /// The compressed configuration.
    pub compressor: Compressor,
}

/// A selected resource, accepted or rejected.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'r> {
    /// Its kind.
    pub kind: SelectableKind,
    /// The resource.
    pub object: &'r Arc<Object>,
    /// The references that were read for it, with their versions.
    pub read: &'r [Read],
    /// Why it is rejected; none, if it is accepted.
    pub rejection: Option<&'r str>,
}

impl Rendered {
    /// Renders the selected resources of a kind. `options` are the settings of the workload that matter to them.
    pub(crate) fn pass(
        &mut self,
        kind: SelectableKind,
        options: Vec<u8>,
        (objects, selection): (&Objects, &Selection),
        make: impl Fn(&Object) -> Result<Contribution, String>,
    ) {
        self.of[kind].pass(options, objects, selection, make);
    }

    /// Forgets the resources of a kind: none of them contributes anything.
    pub(crate) fn clear(&mut self, kind: SelectableKind) {
        self.of[kind] = Memo::default();
    }

    /// What the resources of a kind contribute.
    pub fn memo(&self, kind: SelectableKind) -> &Memo<Result<Contribution, String>> {
        &self.of[kind]
    }

    /// All selected resources.
    pub fn judged(&self) -> impl Iterator<Item = Judged<'_>> {
        self.of.iter().flat_map(|(kind, memo)| {
            memo.objects().map(move |(object, read, one)| Judged {
                kind,
                object,
                read,
                rejection: one.as_ref().err().map(String::as_str),
            })
        })
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.of.iter().all(|(_, memo)| memo.is_empty())
    }

    /// The contributions of the accepted resources of a kind.
    fn accepted<'r>(
        &'r self,
        kind: SelectableKind,
        left_out: &'r Excluded,
    ) -> impl Iterator<Item = (&'r Arc<str>, &'r Contribution)> {
        let excluded = &left_out[kind];
        let accepted = self.of[kind].iter().filter_map(|(name, one)| Some((name, one.as_ref().ok()?)));
        accepted.filter(|(name, _)| excluded.is_empty() || !excluded.contains(&***name))
    }

    /// The scrape jobs of the resources of a kind.
    pub(crate) fn fragments<'r>(
        &'r self,
        kind: SelectableKind,
        left_out: &'r Excluded,
    ) -> impl Iterator<Item = (&'r Arc<str>, &'r Fragment)> {
        self.accepted(kind, left_out).filter_map(|(name, one)| Some((name, one.jobs.as_ref()?)))
    }

    /// All files with rules.
    pub(crate) fn rule_files(&self, left_out: &Excluded) -> Files {
        let rules = self.accepted(SelectableKind::PrometheusRule, left_out);
        rules.filter_map(|(_, one)| one.rules.clone()).collect()
    }

    /// The resources by the names of their files with rules.
    pub(crate) fn rule_file_names(&self) -> BTreeMap<String, Key> {
        let rules = self.of[SelectableKind::PrometheusRule].objects();
        let named = rules.filter_map(|(object, _, one)| {
            let (name, _) = one.as_ref().ok()?.rules.as_ref()?;
            Some((name.clone(), object.key().clone()))
        });
        named.collect()
    }

    /// All routes.
    pub(crate) fn routes<'r>(&'r self, left_out: &'r Excluded) -> impl Iterator<Item = &'r ConfigPart> {
        let configs = self.accepted(SelectableKind::AlertmanagerConfig, left_out);
        configs.filter_map(|(_, one)| one.routes.as_deref())
    }

    /// The certificates and keys of all resources.
    pub(crate) fn files(&self, left_out: &Excluded) -> BTreeMap<String, Vec<u8>> {
        let accepted = SelectableKind::ALL.into_iter().flat_map(|kind| self.accepted(kind, left_out));
        let files = accepted.flat_map(|(_, one)| &one.files);
        files.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
    }

    /// How many resources of these kinds are selected and rejected, among them those that the application rejects.
    pub(crate) fn count(kinds: &[SelectableKind], judged: &[Judged<'_>]) -> Vec<SelectedCount> {
        let count = |kind: SelectableKind| {
            let these = judged.iter().filter(|one| one.kind == kind);
            let (all, rejected) = these.fold((0, 0), |(all, rejected), one| {
                (all + 1, rejected + usize::from(one.rejection.is_some()))
            });
            // The Prometheus Operator counts rejected resources as selected, except AlertmanagerConfigs.
            let counts_accepted_only = kind == SelectableKind::AlertmanagerConfig;
            let selected = all - if counts_accepted_only { rejected } else { 0 };
            SelectedCount { kind: kinds::selectable(kind), selected, rejected }
        };
        kinds.iter().copied().map(count).collect()
    }
}
