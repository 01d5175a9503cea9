//! The conditions of an `ExampleApp`, and their reasons.

/// The type of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Whether all of the spec is carried out.
    Accepted,
    /// Whether backups are taken.
    BackedUp,
    /// Whether the operator leaves everything as it is.
    Paused,
    /// Whether the operator changes something.
    Progressing,
    /// Whether all instances are ready.
    Ready,
    /// How the last upgrade went.
    Upgraded,
}

impl Type {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Accepted, Self::BackedUp, Self::Paused, Self::Progressing, Self::Ready, Self::Upgraded];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::BackedUp => "BackedUp",
            Self::Paused => "Paused",
            Self::Progressing => "Progressing",
            Self::Ready => "Ready",
            Self::Upgraded => "Upgraded",
        }
    }
}

/// The reason of a condition, or of an upgrade that is rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// All of the spec is carried out.
    Accepted,
    /// All instances are ready.
    AllReady,
    /// A write failed.
    CannotApply,
    /// A read failed.
    CannotLook,
    /// Volumes cannot change their storage class.
    ClassChangeRefused,
    /// A phase of an upgrade took too long.
    DeadlineExceeded,
    /// The operator lets go of the application.
    Disconnecting,
    /// The wanted version is older.
    DowngradeRefused,
    /// Volumes are smaller than they should be.
    GrowingVolumes,
    /// The image has a tag.
    ImageWithTag,
    /// No version is in use yet.
    Installing,
    /// An instance fails.
    InstanceBroken,
    /// The Job failed that migrates the data.
    MigrationFailed,
    /// The name is too long.
    NameTooLong,
    /// The size of volumes is no amount.
    NoAmount,
    /// No instances are wanted.
    NoInstances,
    /// Some instances are not ready.
    NotAllReady,
    /// No backups are taken.
    NotTaken,
    /// The wanted version is no version.
    NoVersion,
    /// The user asked for a pause.
    Paused,
    /// The user asked for a pause.
    PausedByUser,
    /// An upgrade cannot be rolled back.
    RollbackStuck,
    /// An upgrade was rolled back.
    RolledBack,
    /// Instances are replaced.
    Rolling,
    /// An upgrade is rolled back.
    RollingBack,
    /// Everything is as it should be.
    Settled,
    /// Volumes cannot shrink.
    ShrinkRefused,
    /// There is a version between the one in use and the wanted one.
    StepSkipped,
    /// An upgrade has succeeded.
    Succeeded,
    /// Another version is wanted during an upgrade.
    Superseded,
    /// An upgrade is under way.
    UnderWay,
    /// The application is removed.
    Uninstalling,
    /// An upgrade is under way.
    Upgrading,
    /// Something is deleted before it is created again.
    WaitingForDeletion,
}

impl Reason {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::AllReady => "AllReady",
            Self::CannotApply => "CannotApply",
            Self::CannotLook => "CannotLook",
            Self::ClassChangeRefused => "ClassChangeRefused",
            Self::DeadlineExceeded => "DeadlineExceeded",
            Self::Disconnecting => "Disconnecting",
            Self::DowngradeRefused => "DowngradeRefused",
            Self::GrowingVolumes => "GrowingVolumes",
            Self::ImageWithTag => "ImageWithTag",
            Self::Installing => "Installing",
            Self::InstanceBroken => "InstanceBroken",
            Self::MigrationFailed => "MigrationFailed",
            Self::NameTooLong => "NameTooLong",
            Self::NoAmount => "NoAmount",
            Self::NoInstances => "NoInstances",
            Self::NotAllReady => "NotAllReady",
            Self::NotTaken => "NotTaken",
            Self::NoVersion => "NoVersion",
            Self::Paused => "Paused",
            Self::PausedByUser => "PausedByUser",
            Self::RollbackStuck => "RollbackStuck",
            Self::RolledBack => "RolledBack",
            Self::Rolling => "Rolling",
            Self::RollingBack => "RollingBack",
            Self::Settled => "Settled",
            Self::ShrinkRefused => "ShrinkRefused",
            Self::StepSkipped => "StepSkipped",
            Self::Succeeded => "Succeeded",
            Self::Superseded => "Superseded",
            Self::UnderWay => "UnderWay",
            Self::Uninstalling => "Uninstalling",
            Self::Upgrading => "Upgrading",
            Self::WaitingForDeletion => "WaitingForDeletion",
        }
    }
}
