//! The part of the catalogue whose names begin alike. Where Mainstay stands in for somebody else, his dashboards and
//! alerts find what they ask for under his names.

use std::fmt;

use prometheus_client::encoding::EncodeMetric;
use prometheus_client::metrics::TypedMetric;
use prometheus_client::metrics::family::{Family, MetricConstructor};

use super::catalogue::{Catalogue, Kind};
use super::family::{Buckets, Counters, Gauges, Histograms, Labelled, Labels};
use super::measured::{Measured, Samples};

/// A part of the catalogue.
#[derive(Debug)]
pub struct Section<'c> {
    pub(super) catalogue: &'c mut Catalogue,
    pub(super) prefix: &'static str,
}

impl Section<'_> {
    /// Counters. Their name is given without the prefix and without `_total`, which both are added.
    pub fn counters<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
    ) -> Counters<N> {
        let family = Family::default();
        self.register(self.entry(name, Kind::Counter, labels, help), family)
    }

    /// Gauges. Their name is given without the prefix.
    pub fn gauges<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
    ) -> Gauges<N> {
        let family = Family::default();
        self.register(self.entry(name, Kind::Gauge, labels, help), family)
    }

    /// Histograms. Their name is given without the prefix, and with the unit.
    pub fn histograms<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
        buckets: &'static [f64],
    ) -> Histograms<N> {
        let family = Family::new_with_constructor(Buckets(buckets));
        self.register(self.entry(name, Kind::Histogram, labels, help), family)
    }

    /// Gauges that are looked at whenever somebody reads the page. Unlike counted ones they may name objects: a series
    /// goes with its object.
    pub fn measured_gauges<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
        look: impl Fn() -> Samples<N> + Send + Sync + 'static,
    ) {
        let Described { name, kind, labels, help } = self.entry(name, Kind::Gauge, labels, help);
        self.look_at(Measured { name, kind, labels, help, look });
    }

    /// Counters that somebody else keeps.
    pub fn measured_counters<const N: usize>(
        &mut self,
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
        look: impl Fn() -> Samples<N> + Send + Sync + 'static,
    ) {
        let Described { name, kind, labels, help } = self.entry(name, Kind::Counter, labels, help);
        self.look_at(Measured { name, kind, labels, help, look });
    }

    fn entry<const N: usize>(
        &self,
        name: &'static str,
        kind: Kind,
        labels: [&'static str; N],
        help: &'static str,
    ) -> Described<N> {
        let name = if self.prefix.is_empty() { name.to_owned() } else { format!("{}_{name}", self.prefix) };
        Described { name, kind, labels, help }
    }

    fn look_at<const N: usize, L>(&mut self, measured: Measured<N, L>)
    where
        L: Fn() -> Samples<N> + Send + Sync + 'static,
    {
        self.catalogue.note(&measured.name, measured.kind, &measured.labels, measured.help);
        self.catalogue.registry.register_collector(Box::new(measured));
    }

    fn register<const N: usize, M, C>(
        &mut self,
        described: Described<N>,
        family: Family<Labels<N>, M, C>,
    ) -> Labelled<N, M, C>
    where
        M: EncodeMetric + TypedMetric + fmt::Debug + Send + Sync + 'static,
        C: MetricConstructor<M> + Clone + fmt::Debug + Send + Sync + 'static,
    {
        let Described { name, kind, labels, help } = described;
        self.catalogue.note(&name, kind, &labels, help);
        self.catalogue.registry.register(name, help, family.clone());
        Labelled { names: labels, family }
    }
}

/// A family before it is registered. The name of a counter is without its end.
struct Described<const N: usize> {
    name: String,
    kind: Kind,
    labels: [&'static str; N],
    help: &'static str,
}
