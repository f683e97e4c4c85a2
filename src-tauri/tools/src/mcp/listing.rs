//! Asks a server for its tools, and takes no more than a model can be shown.

use super::calls::Limits;
use super::connection::Connection;
use super::error::McpError;
use super::resources;
use super::tool::McpTool;
use rmcp::model::{
    ListResourcesRequest, ListToolsRequest, PaginatedRequestParams, Resource, ServerResult,
};
use std::collections::BTreeSet;

/// The most pages of a list that are asked for, and the most tools taken.
const PAGES: usize = 20;
const TOOLS: usize = 128;

impl Connection {
    /// The tools as they are now.
    pub async fn list(&self, limits: &Limits) -> Result<Vec<McpTool>, McpError> {
        let mut tools: Vec<McpTool> = Vec::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        if self.has_resources() {
            tools.extend(resources::tools(self.server()));
            names.extend(tools.iter().map(|tool| tool.name.clone()));
        }
        let (mut cursor, most) = (None, TOOLS + tools.len());
        for _ in 0..if self.has_tools() { PAGES } else { 0 } {
            let page = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ListToolsRequest::with_param(page).into();
            let ServerResult::ListToolsResult(list) = self.request(request, limits, None).await?
            else {
                return Err(self.refused("its list of tools can't be read"));
            };
            for offered in &list.tools {
                match McpTool::read(self.server(), offered) {
                    Ok(tool) if !names.insert(tool.name.clone()) => {
                        self.note(&format!("the tool `{}` is there already", tool.name));
                    }
                    Ok(_) if tools.len() >= most => {
                        self.note(&format!("more than {TOOLS} tools; the rest is left out"));
                        return Ok(tools);
                    }
                    Ok(tool) => tools.push(tool),
                    Err(why) => self.note(&format!("a tool is left out: {why}")),
                }
            }
            cursor = list.next_cursor.filter(|cursor| !cursor.is_empty());
            if cursor.is_none() {
                break;
            }
        }
        Ok(tools)
    }

    /// The resources as they are now.
    pub(super) async fn resources(&self, limits: &Limits) -> Result<Vec<Resource>, McpError> {
        let (mut all, mut cursor) = (Vec::new(), None);
        for _ in 0..PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ListResourcesRequest::with_param(page).into();
            let ServerResult::ListResourcesResult(list) =
                self.request(request, limits, None).await?
            else {
                return Err(self.refused("its list of resources can't be read"));
            };
            all.extend(list.resources);
            cursor = list.next_cursor.filter(|cursor| !cursor.is_empty());
            if cursor.is_none() {
                break;
            }
        }
        Ok(all)
    }
}
