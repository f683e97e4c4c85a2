//! The description of this API, generated from the code.

use super::error::ErrorBody;
use axum::Json;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, ResponseBuilder};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(title = "Plancard", description = "Rooms, plans and questions on this machine."),
    modifiers(&Bearer, &Errors),
    components(schemas(ErrorBody)),
    security(("token" = [])),
    paths(
        super::rooms::create, super::rooms::list, super::rooms::read, super::rooms::change,
        super::rooms::set_mode, super::rooms::say, super::rooms::stop, super::rooms::messages, super::rooms::blob,
        super::rooms::usage,
        super::plans::read, super::plans::list, super::plans::by_id, super::plans::pause, super::plans::resume,
        super::plans::cancel, super::plans::approve, super::plans::reject, super::plans::edit,
        super::plans::skip, super::plans::retry, super::plans::override_check,
        super::plans::pause_after_step, super::plans::stop_step, super::plans::comment,
        super::plans::may_change, super::plans::estimate,
        super::sidekicks::list, super::sidekicks::create, super::sidekicks::read,
        super::sidekicks::steer, super::sidekicks::cancel,
        super::council::start, super::council::read, super::council::list,
        super::council::preview, super::council::preview_new, super::council::answer_now, super::council::pause,
        super::council::resume, super::council::cancel, super::council::vote,
        super::council::pick, super::council::retry,
        super::asks::list, super::asks::answer, super::checkup::read, super::models::test,
        super::models::profiles, super::models::check,
        super::goals::create, super::graph::read, super::stream::room, super::stream::plan,
    )
)]
struct Document;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let rights = "The token has rights: read, supervise, run and approve. What it lacks is \
                      refused with 403 FORBIDDEN; approve is off unless a person gave it in \
                      api.rights.";
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(rights));
        let scheme = scheme.build();
        if let Some(components) = &mut document.components {
            components.add_security_scheme("token", SecurityScheme::Http(scheme));
        }
    }
}

/// Any route may answer with an error, and all errors look the same.
struct Errors;

impl Modify for Errors {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let body = Ref::from_schema_name("ErrorBody");
        let error = ResponseBuilder::new()
            .description("An error: a stable code and words.")
            .content("application/json", ContentBuilder::new().schema(Some(body)).build())
            .build();
        for item in document.paths.paths.values_mut() {
            let methods =
                [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
            for operation in methods.into_iter().flatten() {
                // Named after what they are about, and not after where their code is.
                for tag in operation.tags.iter_mut().flatten() {
                    *tag = tag.rsplit("::").next().unwrap_or_default().to_owned();
                }
                let responses = &mut operation.responses.responses;
                responses.insert("default".to_owned(), error.clone().into());
            }
        }
    }
}

/// The whole description.
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

pub(super) async fn serve() -> Json<utoipa::openapi::OpenApi> {
    Json(document())
}
