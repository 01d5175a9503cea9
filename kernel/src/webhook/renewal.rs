//! When certificates are generated and renewed. Pure: times are arguments, the result is one action.
//!
//! # Guarantees
//! - No certificate is used past its expiry: both are renewed after two thirds of their lifetime.
//! - A serving certificate is never signed by an authority that clients may not trust yet: a new authority is in the bundle
//!   for a while before it signs.
//! - An old authority stays in the bundle as long as a certificate that it signed may be in use.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

/// The validity of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// First moment.
    pub from: Timestamp,
    /// Last moment.
    pub until: Timestamp,
}

impl Validity {
    /// Of a certificate that is generated now. It starts a little earlier, for clocks that are behind.
    pub fn starting(now: Timestamp, life: Duration) -> Self {
        Self { from: before(now, SKEW), until: after(now, life) }
    }

    /// When two thirds of it are over.
    pub fn renewal(&self) -> Timestamp {
        let length = self.until.duration_since(self.from).unsigned_abs();
        after(self.from, length / 3 * 2)
    }

    fn holds(&self, now: Timestamp) -> bool {
        self.from <= now && now < self.until
    }
}

const SKEW: Duration = Duration::from_hours(1);

/// The names and lifetimes of certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// DNS names and addresses of the server.
    pub names: Vec<String>,
    /// Lifetime of a serving certificate.
    pub serving: Duration,
    /// Lifetime of an authority.
    pub authority: Duration,
    /// How long a new authority is in the bundle before it signs: until every client trusts it.
    pub introduction: Duration,
}

impl Wanted {
    /// The default lifetimes for these names.
    pub fn names(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            names: names.into_iter().map(Into::into).collect(),
            serving: Duration::from_hours(24 * 90),
            authority: Duration::from_hours(24 * 365 * 5),
            introduction: Duration::from_hours(1),
        }
    }
}

/// What is stored, as far as a decision needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// The authority that signs.
    pub authority: Validity,
    /// The certificate that is served.
    pub serving: Validity,
    /// Names and addresses in it.
    pub names: Vec<String>,
    /// Whether the present authority signed it, and not a former one.
    pub signed_by_authority: bool,
    /// Earlier authorities that are still in the bundle, youngest first.
    pub former: Vec<Validity>,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// Nothing, until then.
    Keep(Timestamp),
    /// Generate everything: there is no valid bundle.
    Make,
    /// A new serving certificate from the present authority.
    RenewServing,
    /// A new authority. The present one stays in the bundle, and the certificate that it signed stays in use.
    RenewAuthority,
    /// The oldest authority leaves the bundle.
    Forget,
}

/// The renewal of the stored certificates that is due.
pub fn decide(now: Timestamp, stored: Option<&Inventory>, wanted: &Wanted) -> Renewal {
    let Some(stored) = stored else { return Renewal::Make };
    let Inventory { authority, serving, names, signed_by_authority, former } = stored;
    if !authority.holds(now) {
        return Renewal::Make;
    }
    // Clients can trust it since it was generated, which is a little after the start of its validity.
    let introduced = after(authority.from, SKEW + wanted.introduction);
    let is_unusable = !serving.holds(now) || !wanted.names.iter().all(|name| names.contains(name));
    if is_unusable {
        return Renewal::RenewServing;
    }
    if now >= authority.renewal() {
        return Renewal::RenewAuthority;
    }
    let renewable = *signed_by_authority || now >= introduced;
    if renewable && (!signed_by_authority || now >= serving.renewal()) {
        return Renewal::RenewServing;
    }
    // The former authority signed until the present one was introduced.
    let forgotten =
        after(introduced, wanted.serving).min(former.last().map_or(Timestamp::MAX, |last| last.until));
    if !former.is_empty() && *signed_by_authority && now >= forgotten {
        return Renewal::Forget;
    }
    let mut next = vec![authority.renewal(), serving.renewal()];
    next.extend((!signed_by_authority).then_some(introduced));
    next.extend((!former.is_empty()).then_some(forgotten));
    next.retain(|moment| *moment > now);
    Renewal::Keep(next.into_iter().min().unwrap_or(serving.until))
}

fn after(moment: Timestamp, duration: Duration) -> Timestamp {
    moment.checked_add(duration).unwrap_or(Timestamp::MAX)
}

fn before(moment: Timestamp, duration: Duration) -> Timestamp {
    moment.checked_sub(duration).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn wanted() -> Wanted {
        Wanted {
            names: vec!["webhook.default.svc".into()],
            serving: Duration::from_hours(24 * 3),
            authority: Duration::from_hours(24 * 30),
            introduction: Duration::from_hours(1),
        }
    }

    fn generated(now: Timestamp, wanted: &Wanted) -> Inventory {
        Inventory {
            authority: Validity::starting(now, wanted.authority),
            serving: Validity::starting(now, wanted.serving),
            names: wanted.names.clone(),
            signed_by_authority: true,
            former: Vec::new(),
        }
    }

    #[test]
    fn missing_and_expired_certificates_are_generated() {
        let now = at(1_000 * DAY);
        assert_eq!(decide(now, None, &wanted()), Renewal::Make);
        let mut past = generated(at(960 * DAY), &wanted());
        assert_eq!(decide(now, Some(&past), &wanted()), Renewal::Make, "the authority is expired");
        past = generated(at(990 * DAY), &wanted());
        let renewal = decide(now, Some(&past), &wanted());
        assert_eq!(renewal, Renewal::RenewServing, "only the serving certificate is expired");
        let mut other = generated(now, &wanted());
        other.names = vec!["other".into()];
        assert_eq!(
            decide(now, Some(&other), &wanted()),
            Renewal::RenewServing,
            "the server has another name"
        );
        assert_eq!(
            decide(at(1_001 * DAY), Some(&generated(now, &wanted())), &wanted()),
            Renewal::Keep(generated(now, &wanted()).serving.renewal())
        );
    }

    #[test]
    fn a_new_authority_is_introduced_before_it_signs() {
        let zero = at(1_000 * DAY);
        let mut stored = generated(zero, &wanted());
        stored.serving = Validity::starting(at(1_019 * DAY), wanted().serving);
        let renewal = at(1_020 * DAY);
        assert_eq!(decide(renewal, Some(&stored), &wanted()), Renewal::RenewAuthority);
        stored.former = vec![stored.authority];
        stored.authority = Validity::starting(renewal, wanted().authority);
        stored.signed_by_authority = false;
        let introduced = at(1_020 * DAY + HOUR);
        assert_eq!(decide(renewal, Some(&stored), &wanted()), Renewal::Keep(introduced));
        assert_eq!(decide(introduced, Some(&stored), &wanted()), Renewal::RenewServing);
        stored.serving = Validity::starting(introduced, wanted().serving);
        stored.signed_by_authority = true;
        // Another replica may serve a certificate of the old authority until it expires.
        let forgotten = at(1_023 * DAY + HOUR);
        assert_ne!(decide(at(1_022 * DAY), Some(&stored), &wanted()), Renewal::Forget);
        stored.serving = Validity::starting(at(1_023 * DAY), wanted().serving);
        assert_eq!(decide(forgotten, Some(&stored), &wanted()), Renewal::Forget);
    }

    /// Lifetimes so short that several authorities are renewed within a few hundred checks.
    fn short() -> Wanted {
        Wanted { serving: Duration::from_hours(30), authority: Duration::from_hours(120), ..wanted() }
    }

    /// The stored certificates, and what each replica serves: replicas check at random moments.
    struct Model {
        stored: Option<(Inventory, Vec<usize>, usize)>,
        /// When each authority was generated.
        authorities: Vec<Timestamp>,
        served: [Option<(Validity, usize)>; 2],
    }

    impl Model {
        fn make(&mut self, now: Timestamp) -> usize {
            self.authorities.push(now);
            self.authorities.len() - 1
        }

        /// Performs renewals until none is due. Authorities are numbers; the first in the list signs.
        fn settle(&mut self, now: Timestamp) {
            for _ in 0..9 {
                let renewal = decide(now, self.stored.as_ref().map(|(inventory, ..)| inventory), &short());
                self.stored = match (renewal, self.stored.take()) {
                    (Renewal::Keep(until), stored) => {
                        assert!(until > now, "the next check is later");
                        self.stored = stored;
                        return;
                    }
                    (Renewal::Make, _) | (_, None) => {
                        let number = self.make(now);
                        Some((generated(now, &short()), vec![number], number))
                    }
                    (Renewal::RenewServing, Some((mut stored, all, _))) => {
                        let signer = all[0];
                        let known_since = self.authorities[signer];
                        assert!(
                            signer == 0 || after(known_since, short().introduction) <= now,
                            "an authority signs before it is introduced"
                        );
                        stored.serving = Validity::starting(now, short().serving);
                        stored.signed_by_authority = true;
                        Some((stored, all, signer))
                    }
                    (Renewal::RenewAuthority, Some((mut stored, mut all, signer))) => {
                        let number = self.make(now);
                        stored.former.insert(0, stored.authority);
                        stored.authority = Validity::starting(now, short().authority);
                        stored.signed_by_authority = false;
                        all.insert(0, number);
                        Some((stored, all, signer))
                    }
                    (Renewal::Forget, Some((mut stored, mut all, signer))) => {
                        stored.former.pop();
                        all.pop();
                        Some((stored, all, signer))
                    }
                };
            }
            panic!("renewals never end");
        }
    }

    proptest! {
        #[test]
        fn served_certificates_are_trusted(steps in prop::collection::vec((1..HOUR, 0..2_usize), 1..900)) {
            let mut model = Model { stored: None, authorities: Vec::new(), served: [None; 2] };
            let mut now = 1_000 * DAY;
            let mut checked = [now; 2];
            for (pause, replica) in steps {
                now += pause;
                // Replicas check at least every two hours; in production every minute.
                for (index, seen) in checked.iter_mut().enumerate() {
                    if index == replica || now - *seen > HOUR {
                        *seen = now;
                        model.settle(at(now));
                        let (stored, _, signer) = model.stored.as_ref().unwrap();
                        model.served[index] = Some((stored.serving, *signer));
                    }
                }
                let (_, trusted, _) = model.stored.as_ref().unwrap();
                for (validity, signer) in model.served.iter().flatten() {
                    prop_assert!(validity.holds(at(now)), "an expired certificate is served");
                    prop_assert!(trusted.contains(signer), "the authority is not trusted");
                }
            }
        }
    }
}
