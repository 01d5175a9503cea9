//! A configuration that the operand refuses: from what pods say to what is left out. `crate::loaded::doubt` decides. Pure.

mod order;
mod program;
mod state;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Pod;
use monitoring_select::SelectableKind;

use crate::kind::{Seen, Workload};
use crate::load::Content;
use crate::loaded::culprit;
use crate::loaded::doubt::{Doubt, Suspicion, Taken};
use crate::loaded::fingerprint;
use crate::loaded::parts::Parts;
use crate::loaded::subject::Subject;
use crate::loaded::verdicts::Stamp;
use crate::loaded::words;
use crate::memory::Memory;
use crate::mounts;
use crate::plan::{Configuration, Judged, LeftOut, Planned, Rendered};
use crate::stages::gather::Inputs;

pub(crate) use order::Accepted;
pub(crate) use program::Program;
pub(crate) use state::operand;

/// What pods say about a content.
#[derive(Debug, Clone)]
pub(crate) struct Hearing {
    pub(crate) content: Content,
    pub(crate) taken: Taken,
    /// Whether a server runs, this content or another one.
    pub(crate) is_running: bool,
}

fn subject(one: &Judged<'_>) -> Subject {
    let key = one.object.key();
    Subject::new(one.kind, &*key.namespace, &*key.name)
}

/// What a plan leaves out.
pub(crate) fn left_out(subjects: &BTreeSet<Subject>) -> LeftOut {
    let mut out = LeftOut::default();
    for subject in subjects {
        out[subject.kind].insert(format!("{}/{}", subject.namespace, subject.name));
    }
    out
}

/// Everything that could be written, and the state that it is in.
pub(crate) fn stamps<'j>(judged: impl IntoIterator<Item = Judged<'j>>) -> BTreeMap<Subject, Stamp> {
    let taken = judged.into_iter().filter(|one| one.refusal.is_none());
    taken.map(|one| (subject(&one), stamp(&one))).collect()
}

fn stamp(one: &Judged<'_>) -> Stamp {
    let read = if one.read.is_empty() {
        String::new()
    } else {
        crate::loaded::operand::short(&fingerprint::configuration(format!("{:?}", one.read).as_bytes()))
    };
    Stamp { uid: one.object.uid().to_owned(), generation: one.object.generation(), read }
}

/// The pods that run what the workload asks for, as far as that can be told.
pub(crate) fn up_to_date<'s>(seen: &'s Seen, program: Option<&Program>) -> Cow<'s, [Pod]> {
    let counts = |pod: &&Pod| program.is_none_or(|program| program.is_run_by(pod, &seen.sets));
    if seen.pods.iter().all(|pod| counts(&pod)) {
        return Cow::Borrowed(&seen.pods);
    }
    Cow::Owned(seen.pods.iter().filter(counts).cloned().collect())
}

/// What became of what is selected, with what the operand refuses.
pub(crate) fn with_refused<'m>(rendered: &'m Rendered, doubt: &'m Doubt<Content>) -> Vec<Judged<'m>> {
    let (mut judged, verdicts): (Vec<Judged<'_>>, _) = (rendered.judged().collect(), doubt.verdicts());
    if verdicts.is_empty() {
        return judged;
    }
    for one in judged.iter_mut().filter(|one| one.refusal.is_none()) {
        one.refusal = verdicts.of(&subject(one)).map(|refusal| refusal.words.as_str());
    }
    judged
}

/// Before a plan: an answer of the pods takes a search further.
pub(crate) fn hear<W: Workload>(resource: &W::Resource, inputs: &Inputs, memory: &mut Memory) {
    let Some(Hearing { content, taken, .. }) = &inputs.heard else { return };
    let is_known = memory.good.as_ref().is_some_and(|good| good.is_of(content));
    let rendered: Vec<Judged<'_>> = memory.rendered.judged().collect();
    if *taken == Taken::Accepted && !is_known && !memory.doubt.is_searching() {
        memory.good = Some(Accepted::new(content.clone(), &rendered, &memory.doubt.left_out()));
    }
    let by = state::by::<W>(resource);
    let tell = |subject: &Subject, text: &str| {
        let object = rendered.iter().find(|one| self::subject(one) == *subject);
        let object = object.map(|one| one.object.value().into_owned()).unwrap_or_default();
        let field = culprit::field(&object, text);
        let field = field.map(|(path, value)| format!("{path} ({value:?}): ")).unwrap_or_default();
        format!("{by} refuses it: {field}{}", words::told(text))
    };
    memory.doubt.answer(content, taken.clone(), &tell);
}

/// After a plan: begins to search if what is planned is what was refused. Whether to go on at once.
pub(crate) fn suspect<W: Workload>(planned: &Planned, inputs: &Inputs, memory: &mut Memory) -> bool {
    let program = Program::planned(planned);
    // What was heard was heard from others, unless the pods stay what they are.
    let heard = inputs.heard.clone().filter(|_| memory.program.is_none() || memory.program == program);
    memory.program = program;
    let is_running = heard.as_ref().is_some_and(|heard| heard.is_running);
    let refused = match heard {
        Some(Hearing { content, taken: Taken::Refused(text), .. }) => Some((content, text)),
        Some(Hearing { taken: Taken::Accepted, .. }) | None => None,
    };
    if refused.is_none() && !memory.doubt.is_searching() && memory.doubt.hopeless().is_none() {
        return false;
    }
    let content = mounts::content::<W>(planned, &inputs.key);
    memory.doubt.writes(&content);
    let Some((refused, text)) = refused.filter(|(refused, _)| *refused == content) else { return false };
    if !memory.doubt.is_new(&refused) {
        return false;
    }
    let judged: Vec<Judged<'_>> = memory.rendered.judged().collect();
    let out = memory.doubt.left_out();
    let mut objects = stamps(judged.iter().copied());
    objects.retain(|subject, _| !out.contains(subject));
    let kind = SelectableKind::PrometheusRule;
    let files = memory.rendered.rule_file_names().into_iter();
    let files = files.map(|(file, key)| (file, Subject::new(kind, &*key.namespace, &*key.name))).collect();
    let whole = planned.configuration.as_ref().map(Configuration::text).unwrap_or_default();
    let parts = Parts::read(&whole, objects.keys().cloned().collect(), files);
    let named = culprit::find(&text, &parts).objects;
    let (row, fresh) = order::row(&judged, &objects, memory.good.as_ref());
    tracing::warn!(workload = %inputs.key, "the configuration is refused; searching for the resource that causes it");
    memory.doubt.begin(refused, text, Suspicion { objects, named, fresh, row, is_running });
    true
}
