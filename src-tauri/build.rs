//! Tells Tauri which commands the window may call.

/// Every command of `ipc::handler`; a capability allows each by name.
const COMMANDS: [&str; 71] = [
    "overview",
    "open_room",
    "links",
    "unsubscribe",
    "history",
    "create_room",
    "rename_room",
    "archive_room",
    "delete_room",
    "room_size",
    "move_room",
    "folder_problem",
    "set_mode",
    "forget_rule",
    "say",
    "stop",
    "pause",
    "pause_after_step",
    "stop_step",
    "resume",
    "cancel",
    "approve",
    "reject",
    "edit",
    "skip",
    "retry",
    "override_check",
    "let_change",
    "comment",
    "answer",
    "set_goal",
    "sidekicks",
    "spawn_sidekick",
    "stop_sidekick",
    "start_council",
    "council_preview",
    "council_answer_now",
    "council_vote",
    "council_pick",
    "council_retry",
    "councils",
    "plans",
    "plan",
    "estimate",
    "usage",
    "export_plan",
    "save_export",
    "blob",
    "files",
    "pick_folder",
    "settings",
    "sandbox",
    "save_setting",
    "set_key",
    "try_key",
    "key_state",
    "open_keyring",
    "test_model",
    "local_servers",
    "model_profiles",
    "check_profile",
    "catalogue",
    "mcp_servers",
    "mcp_said",
    "mcp_login",
    "mcp_logout",
    "diagnostics",
    "in_front",
    "open_external",
    "ui_ready",
    "quit",
];

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    let manifest = tauri_build::AppManifest::new().commands(&COMMANDS);
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(manifest);
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:error={error:#}");
        std::process::exit(1);
    }
}
