//! The part of the catalogue whose names have a prefix. If Mainstay replaces another operator, it serves metrics under the
//! names that dashboards and alerts for that operator use.

use std::fmt;

use prometheus_client::encoding::EncodeMetric;
use prometheus_client::metrics::TypedMetric;
use prometheus_client::metrics::family::{Family, MetricConstructor};

use super::catalogue::{Catalogue, MetricKind};
use super::family::{Buckets, Counters, Gauges, Histograms, LabelledFamily, Labels};
use super::measured::{Measured, Samples};

/// A static text.
type Text = &'static str;

/// A part of the catalogue.
#[derive(Debug)]
pub struct CatalogueSection<'c> {
    pub(super) catalogue: &'c mut Catalogue,
    pub(super) prefix: &'static str,
}

impl CatalogueSection<'_> {
    /// Counters. Their name is given without the prefix and without `_total`, which both are added.
    pub fn counters<const N: usize>(&mut self, name: Text, labels: [Text; N], help: Text) -> Counters<N> {
        let name = self.describe(name, MetricKind::Counter, &labels, help);
        self.register((name, help), labels, Family::default())
    }

    /// Gauges. Their name is given without the prefix.
    pub fn gauges<const N: usize>(&mut self, name: Text, labels: [Text; N], help: Text) -> Gauges<N> {
        let name = self.describe(name, MetricKind::Gauge, &labels, help);
        self.register((name, help), labels, Family::default())
    }

    /// Histograms. Their name is given without the prefix, and with the unit.
    pub fn histograms<const N: usize>(
        &mut self,
        name: Text,
        labels: [Text; N],
        help: Text,
        buckets: &'static [f64],
    ) -> Histograms<N> {
        let name = self.describe(name, MetricKind::Histogram, &labels, help);
        self.register((name, help), labels, Family::new_with_constructor(Buckets(buckets)))
    }

    /// Gauges that are read at each scrape. Unlike other metrics, their labels may name objects: a series disappears with its
    /// object.
    pub fn measured_gauges<const N: usize>(
        &mut self,
        name: Text,
        labels: [Text; N],
        help: Text,
        read: impl Fn() -> Samples<N> + Send + Sync + 'static,
    ) {
        let (kind, name) = (MetricKind::Gauge, self.describe(name, MetricKind::Gauge, &labels, help));
        self.catalogue.registry.register_collector(Box::new(Measured { name, kind, labels, help, read }));
    }

    /// Counters that are read at each scrape.
    pub fn measured_counters<const N: usize>(
        &mut self,
        name: Text,
        labels: [Text; N],
        help: Text,
        read: impl Fn() -> Samples<N> + Send + Sync + 'static,
    ) {
        let (kind, name) = (MetricKind::Counter, self.describe(name, MetricKind::Counter, &labels, help));
        self.catalogue.registry.register_collector(Box::new(Measured { name, kind, labels, help, read }));
    }

    /// Adds a family to the catalogue. Returns its full name, for a counter without `_total`.
    fn describe(&mut self, name: Text, kind: MetricKind, labels: &[Text], help: Text) -> String {
        let name = if self.prefix.is_empty() { name.to_owned() } else { format!("{}_{name}", self.prefix) };
        self.catalogue.note(&name, kind, labels, help);
        name
    }

    fn register<const N: usize, M, C>(
        &mut self,
        (name, help): (String, Text),
        names: [Text; N],
        family: Family<Labels<N>, M, C>,
    ) -> LabelledFamily<N, M, C>
    where
        M: EncodeMetric + TypedMetric + fmt::Debug + Send + Sync + 'static,
        C: MetricConstructor<M> + Clone + fmt::Debug + Send + Sync + 'static,
    {
        self.catalogue.registry.register(name, help, family.clone());
        LabelledFamily { names, family }
    }
}
