//! Errors as clients read them: a stable code and words.

use crate::error::EngineError;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use plan::Refusal;
use serde::{Deserialize, Serialize};

/// The body of every error.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// What went wrong.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorDetail {
    /// A stable code.
    pub code: String,
    /// In words.
    pub message: String,
    /// The plan's current revision, where that is what is wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revision: Option<u32>,
}

/// An error on its way to a client.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    body: Box<ErrorBody>,
}

impl ApiError {
    /// An error with a code of its own.
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let error = ErrorDetail { code: code.to_owned(), message: message.into(), revision: None };
        Self { status, body: Box::new(ErrorBody { error }) }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let status = match &error {
            EngineError::Refused(refusal) => refusal_status(refusal),
            EngineError::NoRoom => StatusCode::NOT_FOUND,
            EngineError::NotOpened(_) => StatusCode::FORBIDDEN,
            EngineError::BadWorkspace(_)
            | EngineError::BadModel { .. }
            | EngineError::NoMember { .. }
            | EngineError::BadCouncil(_)
            | EngineError::BadOption(_) => StatusCode::UNPROCESSABLE_ENTITY,
            EngineError::GoalsOff | EngineError::NotWhole => StatusCode::CONFLICT,
            EngineError::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            EngineError::Journal(_) | EngineError::Unreadable { .. } => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        let mut api = Self::new(status, error.code(), error.to_string());
        if let EngineError::Refused(
            Refusal::Conflict { revision, .. } | Refusal::OtherHash { revision },
        ) = error
        {
            api.body.error.revision = Some(revision);
        }
        api
    }
}

fn refusal_status(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::NoPlan
        | Refusal::NoSuchStep { .. }
        | Refusal::NoSuchAsk
        | Refusal::NoSuchRule
        | Refusal::NoSidekick
        | Refusal::NoCouncil
        | Refusal::NoSuchMember { .. }
        | Refusal::NoSuchAnswer { .. }
        | Refusal::NoRoom => StatusCode::NOT_FOUND,
        Refusal::EmptyGoal
        | Refusal::NoResult
        | Refusal::TooDeep { .. }
        | Refusal::NoSteps
        | Refusal::EmptyStep { .. }
        | Refusal::NotOneLine { .. }
        | Refusal::ForeignTool { .. }
        | Refusal::TooManySteps { .. }
        | Refusal::TooLong { .. }
        | Refusal::AnswerTooLong { .. }
        | Refusal::Cycle { .. }
        | Refusal::UnknownNeed { .. }
        | Refusal::NoGraph
        | Refusal::DuplicateStep { .. }
        | Refusal::BadAnswer { .. }
        | Refusal::EmptyTitle
        | Refusal::NoReason
        | Refusal::EmptyMessage => StatusCode::UNPROCESSABLE_ENTITY,
        Refusal::PersonOnly { .. } | Refusal::HarnessOnly { .. } => StatusCode::FORBIDDEN,
        Refusal::PlanActive
        | Refusal::CouncilActive
        | Refusal::CouncilSize { .. }
        | Refusal::NotAsked
        | Refusal::OnlyVote { .. }
        | Refusal::AnswerFirst
        | Refusal::NotVoting
        | Refusal::NoAnswerYet
        | Refusal::NoCouncilHere
        | Refusal::CouncilHeld
        | Refusal::VoteOver
        | Refusal::NotOut { .. }
        | Refusal::NoReview
        | Refusal::NoMoreAttempts
        | Refusal::MemberRoom
        | Refusal::PlanOver { .. }
        | Refusal::StepsOver
        | Refusal::TooManyTasks { .. }
        | Refusal::NotPausable { .. }
        | Refusal::NotResumable { .. }
        | Refusal::NotWaiting { .. }
        | Refusal::Conflict { .. }
        | Refusal::OtherHash { .. }
        | Refusal::SentBack
        | Refusal::SameAgain
        | Refusal::JustDone
        | Refusal::TaskGiven
        | Refusal::StepsStay { .. }
        | Refusal::Planning { .. }
        | Refusal::StepNames { .. }
        | Refusal::NotRunning { .. }
        | Refusal::NotApproved
        | Refusal::NotApprovedAbove
        | Refusal::StepNotRunning { .. }
        | Refusal::CheckMissing { .. }
        | Refusal::CheckFailed { .. }
        | Refusal::CallFailed { .. }
        | Refusal::RoomAtWork
        | Refusal::SidekickAtWork
        | Refusal::NoSuchCall
        | Refusal::Stale
        | Refusal::RoomExists => StatusCode::CONFLICT,
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self.body)).into_response()
    }
}

pub(super) async fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "NOT_FOUND", "there is nothing at this address")
}

pub(super) async fn wrong_method() -> ApiError {
    let words = "this address does not take this method";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", words)
}
