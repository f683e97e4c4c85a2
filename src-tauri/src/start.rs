//! Starting, and saying in plain words why it is not possible.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use tauri::{App, AppHandle, Builder, Context, WebviewWindow, Wry};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};
use tokio_util::sync::CancellationToken;

/// Whether there is a display to open a window on, as far as one is told.
pub fn display() -> Result<(), &'static str> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match set("DISPLAY") || set("WAYLAND_DISPLAY") {
        true => Ok(()),
        false => Err("there is no display to open a window on; without one, use `plancard serve`"),
    }
}

/// Builds the app. The toolkit ends the program with a backtrace where it
/// can't open the display; that becomes a sentence.
pub fn build(builder: Builder<Wry>, context: Context) -> Result<App, String> {
    let usual = take_hook();
    set_hook(Box::new(|_| {}));
    let built = catch_unwind(AssertUnwindSafe(|| builder.build(context)));
    set_hook(usual);
    match built {
        Ok(Ok(app)) => Ok(app),
        Ok(Err(error)) => Err(format!("the window can't be opened: {error}")),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map_or("", String::as_str);
            // What the toolkit says of the display is of no use to a person.
            if words.contains("gtk") {
                return Err("the display can't be opened".to_owned());
            }
            Err(format!("the window can't be opened: {words}"))
        }
    }
}

/// Says so once the window is on the screen.
pub fn when_shown(window: &WebviewWindow, shown: CancellationToken) {
    let watched = window.with_webview(|webview| {
        use gtk::glib::Propagation;
        use gtk::prelude::{WidgetExt, WidgetExtManual};
        let Some(window) = webview.inner().toplevel() else { return };
        window.connect_map_event(move |_, _| {
            shown.cancel();
            Propagation::Proceed
        });
    });
    if let Err(error) = watched {
        tracing::warn!(%error, "the window can't be watched");
    }
}

/// Tells why the app can't work, then ends it.
pub fn give_up(app: &AppHandle, why: &str) {
    eprintln!("plancard: {why}");
    let ends = app.clone();
    app.dialog()
        .message(why)
        .title("Plancard can't start")
        .kind(MessageDialogKind::Error)
        .show(move |_| ends.exit(1));
}

/// Tells something that the person should know before they begin.
pub fn tell(app: &AppHandle, news: &str) {
    tracing::warn!("{news}");
    app.dialog().message(news).title("Plancard").kind(MessageDialogKind::Warning).show(|_| {});
}
