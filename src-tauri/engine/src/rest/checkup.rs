//! What Plancard depends on, for whoever looks after it.

use super::Api;
use crate::checkup::Checkup;
use axum::Json;
use axum::extract::State;

/// Where data and configuration are, what is wrong with them, whether commands can be confined,
/// and which agents there are.
#[utoipa::path(get, path = "/v1/checkup", operation_id = "checkup",
    responses((status = 200, body = Checkup)))]
pub(crate) async fn read(State(api): State<Api>) -> Json<Checkup> {
    Json(api.engine.checkup().await)
}
