//! Why a model did not answer, in words a person can act on.

use std::time::Duration;

use thiserror::Error;

use crate::AgentTrouble;
use crate::retry_header::LONG_WAIT;

/// What went wrong while asking a model; no message ever holds the key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// Too many requests for now.
    #[error("the provider asks to slow down{}", wait(*retry_after))]
    RateLimited {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider has no room for the request at the moment.
    #[error("the provider is overloaded{}", wait(*retry_after))]
    Overloaded {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider failed inside.
    #[error("the provider had an error of its own{}{}{}", numbered(*status), again(*retry_after), own_words(message))]
    Server {
        /// The HTTP status, where there was one.
        status: Option<u16>,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
        /// The provider's own words, if any.
        message: String,
    },
    /// What was paid for or allowed is used up.
    #[error("the quota at the provider is used up{}", renewal(*reset))]
    Quota {
        /// When it is filled again, if the provider says so.
        reset: Option<Duration>,
    },
    /// The key is missing, wrong or not good for this.
    #[error(
        "{provider} does not accept the key, or needs one: check it in the settings, or the variable that key_env names"
    )]
    InvalidKey {
        /// The provider's name.
        provider: String,
    },
    /// There may be a key, and it can't be read.
    #[error("{}", why.words(provider))]
    KeyUnread {
        /// The provider's name.
        provider: String,
        /// What stood in the way.
        why: Unread,
    },
    /// The provider does not let this key or account do that.
    #[error("{provider} does not allow this{}", own_words(message))]
    Forbidden {
        /// The provider's name.
        provider: String,
        /// The provider's own words.
        message: String,
    },
    /// The provider has no such model.
    #[error("{provider} has no model named {model}: choose another one")]
    UnknownModel {
        /// The provider's name.
        provider: String,
        /// The name that was asked for.
        model: String,
    },
    /// The provider does not take the request as it is.
    #[error("the provider refused the request: {message}")]
    BadRequest {
        /// The provider's own words.
        message: String,
    },
    /// As it is set up, nothing can be asked.
    #[error("{message}")]
    Unusable {
        /// What is missing, and what to do.
        message: String,
    },
    /// No provider could be reached at the address.
    #[error("{}", why.words(address))]
    Unreachable {
        /// What stood in the way.
        why: Reach,
        /// Where the provider should be.
        address: String,
    },
    /// A web page came back instead of data.
    #[error("{address} answers with a web page instead of a model's answer: check the address")]
    NotJson {
        /// Where the provider should be.
        address: String,
    },
    /// The answer can't be understood.
    #[error("the model's answer can't be read: {message}")]
    Malformed {
        /// What is wrong with it.
        message: String,
    },
    /// The model made a call that its server can't read. It was asked for nothing wrong.
    #[error("the model's server could not read its call: {message}")]
    UnreadCall {
        /// The server's own words.
        message: String,
        /// What the model wrote, as far as the server tells.
        written: String,
    },
    /// The stream was cut before its end.
    #[error("the connection to the model was cut before its answer was complete")]
    Dropped,
    /// Nothing was heard for too long.
    #[error(
        "the model said nothing for {seconds} seconds: see whether its server still works, or \
         choose another model"
    )]
    Silent {
        /// How long was waited.
        seconds: u64,
    },
    /// It was heard all the time, but for too long nothing of an answer came.
    #[error(
        "the model's server is still there, but for {} no part of an answer came: try again \
         later, or choose another model",
        in_words(Duration::from_secs(*seconds))
    )]
    Stalled {
        /// How long was waited.
        seconds: u64,
    },
    /// The conversation does not fit the model.
    #[error("the conversation is too long for this model")]
    ContextTooLong,
    /// The model or a filter around it will not answer this.
    #[error("the provider declined to answer ({reason}): say it in another way")]
    Declined {
        /// The provider's word for it.
        reason: String,
    },
    /// The model is an agent's program, and that can't be used.
    #[error(transparent)]
    Agent(AgentTrouble),
}

/// Why a key can't be read from the keyring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is there, and the keyring is locked.
    Locked,
    /// The keyring is locked and does not show what is in it.
    Hidden,
    /// There is no keyring.
    Missing,
}

impl Unread {
    fn words(self, provider: &str) -> String {
        match self {
            Self::Locked => {
                format!("the key for {provider} is in the keyring, which is locked: unlock it")
            }
            Self::Hidden => format!(
                "{provider} wants a key, and the keyring is locked: unlock it, or give the key in \
                 the settings"
            ),
            Self::Missing => format!(
                "{provider} wants a key, and no keyring was found: start one, or give the key in \
                 the settings"
            ),
        }
    }
}

/// What stood between us and a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The address is not a web address.
    Invalid,
    /// Nothing listens there.
    Refused,
    /// The name of the host is not known.
    NoHost,
    /// The connection can't be made secure.
    Tls,
    /// The address says https, and the server speaks http.
    NotSecure,
    /// The address says http, and the server speaks something else, which is mostly https.
    NotPlain,
    /// The host did not answer in time.
    TooSlow,
    /// The host answers, but offers no model there.
    NotThere,
    /// The network failed in some other way.
    Network,
}

impl Reach {
    fn words(self, address: &str) -> String {
        match self {
            Self::Invalid => format!("{address:?} is not a web address"),
            Self::Refused => format!("nothing answers at {address}: is the server running?"),
            Self::NoHost => format!("the host of {address} can't be found: check the name"),
            Self::Tls => format!("no secure connection to {address}: check its certificate"),
            Self::NotSecure => format!(
                "{address} does not answer in https: if the server there speaks plain http, begin \
                 its address with http://"
            ),
            Self::NotPlain => format!(
                "{address} does not answer in plain http: if the server there wants a secure \
                 connection, begin its address with https://"
            ),
            Self::TooSlow => format!("{address} did not answer in time"),
            Self::NotThere => format!("{address} offers no model: check the address"),
            Self::Network => format!("the network failed on the way to {address}"),
        }
    }
}

impl ModelError {
    /// A stable name for the kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "MODEL_RATE_LIMITED",
            Self::Overloaded { .. } => "MODEL_OVERLOADED",
            Self::Server { .. } => "MODEL_SERVER_ERROR",
            Self::Quota { .. } => "MODEL_QUOTA",
            Self::InvalidKey { .. } => "MODEL_INVALID_KEY",
            Self::KeyUnread { why: Unread::Locked | Unread::Hidden, .. } => "KEYRING_LOCKED",
            Self::KeyUnread { why: Unread::Missing, .. } => "KEYRING_MISSING",
            Self::Forbidden { .. } => "MODEL_FORBIDDEN",
            Self::UnknownModel { .. } => "MODEL_UNKNOWN",
            Self::BadRequest { .. } => "MODEL_BAD_REQUEST",
            Self::Unusable { .. } => "MODEL_UNUSABLE",
            Self::Unreachable { .. } => "MODEL_UNREACHABLE",
            Self::NotJson { .. } => "MODEL_NOT_JSON",
            Self::Malformed { .. } => "MODEL_MALFORMED",
            Self::UnreadCall { .. } => "MODEL_UNREAD_CALL",
            Self::Dropped => "MODEL_DROPPED",
            Self::Silent { .. } => "MODEL_SILENT",
            Self::Stalled { .. } => "MODEL_STALLED",
            Self::ContextTooLong => "MODEL_CONTEXT_TOO_LONG",
            Self::Declined { .. } => "MODEL_DECLINED",
            Self::Agent(trouble) => trouble.code(),
        }
    }

    /// After how long asking again is worth it, where that is too long to wait inside a turn.
    pub fn renewal(&self) -> Option<Duration> {
        match self {
            Self::Quota { reset } => *reset,
            Self::RateLimited { retry_after }
            | Self::Overloaded { retry_after }
            | Self::Server { retry_after, .. } => retry_after.filter(|wait| *wait > LONG_WAIT),
            Self::InvalidKey { .. }
            | Self::KeyUnread { .. }
            | Self::Forbidden { .. }
            | Self::UnknownModel { .. }
            | Self::BadRequest { .. }
            | Self::Unusable { .. }
            | Self::Unreachable { .. }
            | Self::NotJson { .. }
            | Self::Malformed { .. }
            | Self::UnreadCall { .. }
            | Self::Dropped
            | Self::Silent { .. }
            | Self::Stalled { .. }
            | Self::ContextTooLong
            | Self::Declined { .. }
            | Self::Agent(_) => None,
        }
    }

    /// Whether asking again, unchanged and a little later, can help.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::Server { .. }
            | Self::Malformed { .. }
            | Self::Dropped
            | Self::Silent { .. }
            | Self::Stalled { .. } => true,
            Self::Unreachable { why, .. } => match why {
                Reach::TooSlow | Reach::Network => true,
                Reach::Invalid
                | Reach::Refused
                | Reach::NoHost
                | Reach::Tls
                | Reach::NotSecure
                | Reach::NotPlain
                | Reach::NotThere => false,
            },
            Self::Quota { .. }
            | Self::InvalidKey { .. }
            | Self::KeyUnread { .. }
            | Self::Forbidden { .. }
            | Self::UnknownModel { .. }
            | Self::BadRequest { .. }
            | Self::Unusable { .. }
            | Self::NotJson { .. }
            // The model has to hear of it first.
            | Self::UnreadCall { .. }
            | Self::ContextTooLong
            | Self::Declined { .. }
            // What it did before it stopped is not known, so nothing is repeated unasked.
            | Self::Agent(_) => false,
        }
    }
}

fn wait(time: Option<Duration>) -> String {
    time.map_or_else(String::new, |time| format!(" for {}", in_words(time)))
}

fn numbered(status: Option<u16>) -> String {
    status.map_or_else(String::new, |status| format!(" (status {status})"))
}

fn own_words(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn again(time: Option<Duration>) -> String {
    time.map_or_else(String::new, |time| format!(" and asks to wait for {}", in_words(time)))
}

fn renewal(time: Option<Duration>) -> String {
    time.map_or_else(
        || ": check the account there".to_owned(),
        |time| format!(" and is renewed in {}", in_words(time)),
    )
}

/// A time as a person says it, never shorter than it is.
fn in_words(time: Duration) -> String {
    let seconds = u64::try_from(time.as_millis().div_ceil(1000)).unwrap_or(u64::MAX);
    let (number, unit) = match seconds {
        0..=90 => (seconds, "second"),
        91..=5400 => (seconds.div_ceil(60), "minute"),
        5401..=172_800 => (seconds.div_ceil(3600), "hour"),
        172_801.. => (seconds.div_ceil(86_400), "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}
