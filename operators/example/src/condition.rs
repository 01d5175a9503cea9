//! The conditions of an `ExampleApp`, and their reasons.

/// The type of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionType {
    /// Whether the whole spec is applied.
    Accepted,
    /// Whether backups are taken.
    BackedUp,
    /// Whether the operator leaves all objects unchanged.
    Paused,
    /// Whether a change is in progress.
    Progressing,
    /// Whether all instances are ready.
    Ready,
    /// How the last upgrade went.
    Upgraded,
}

impl ConditionType {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Accepted, Self::BackedUp, Self::Paused, Self::Progressing, Self::Ready, Self::Upgraded];

    /// The name in the status.
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
    /// The whole spec is applied.
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
    /// The operator stops managing the application.
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
    /// The Job that migrates the data failed.
    MigrationFailed,
    /// The name is too long.
    NameTooLong,
    /// The size of volumes is not a quantity.
    NoAmount,
    /// No instances are wanted.
    NoInstances,
    /// Some instances are not ready.
    NotAllReady,
    /// No backups are taken.
    NotTaken,
    /// The wanted version is not a version.
    NoVersion,
    /// The application is paused.
    Paused,
    /// The user paused the application.
    PausedByUser,
    /// An upgrade cannot be rolled back.
    RollbackStuck,
    /// An upgrade was rolled back.
    RolledBack,
    /// Instances are replaced.
    Rolling,
    /// An upgrade is rolled back.
    RollingBack,
    /// The application is up to date.
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
    /// An object is being deleted, and is created again afterwards.
    WaitingForDeletion,
}

impl Reason {
    /// The name in the status.
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
