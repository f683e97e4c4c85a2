//! One window per data folder: a second start hands its arguments to the first and leaves.
//!
//! The first listens on a socket in the data folder, which it holds the lock of, so that a start
//! costs no round trip to any daemon. What is heard there only ever navigates.

use crate::house::House;
use crate::links;
use engine::local_socket;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;
use tauri::AppHandle;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

const NAME: &str = "window.sock";
/// How long the first window may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest arguments that are read.
const MOST: u64 = 256 * 1024;
/// What the first window answers.
const HEARD: &[u8] = b"heard";

/// Whether a window on this folder took these arguments over.
pub fn took_over(data: &Path, args: &[String]) -> bool {
    hand_over(data, args).is_ok()
}

fn hand_over(data: &Path, args: &[String]) -> io::Result<()> {
    let mut first = local_socket::connect(data, NAME)?;
    first.set_read_timeout(Some(PATIENCE))?;
    first.set_write_timeout(Some(PATIENCE))?;
    first.write_all(&serde_json::to_vec(args)?)?;
    first.shutdown(std::net::Shutdown::Write)?;
    let mut answer = Vec::new();
    first.take(MOST).read_to_end(&mut answer)?;
    if answer == HEARD { Ok(()) } else { Err(io::Error::other("it did not understand")) }
}

/// Hears later starts until the app is about to end: what starts then has to open a window itself.
pub fn listen(app: &AppHandle, house: &House) {
    match local_socket::listen(&house.data, NAME) {
        Ok(listener) => {
            let (app, leaving) = (app.clone(), house.leaving.clone());
            let heard = move |args: &[String]| links::started_again(&app, args);
            tauri::async_runtime::spawn(async move {
                leaving.run_until_cancelled(serve(listener, leaving.clone(), heard)).await
            });
        }
        Err(error) => tracing::warn!(%error, "a second start can't be heard"),
    }
}

async fn serve(
    listener: UnixListener,
    leaving: CancellationToken,
    heard: impl Fn(&[String]) + Clone + Send + 'static,
) {
    let Ok(listener) = tokio::net::UnixListener::from_std(listener) else { return };
    loop {
        // An error here is about one caller, or passes.
        let Ok((mut caller, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (leaving, heard) = (leaving.clone(), heard.clone());
        tauri::async_runtime::spawn(async move {
            let mut said = Vec::new();
            let mut words = (&mut caller).take(MOST);
            let read = tokio::time::timeout(PATIENCE, words.read_to_end(&mut said)).await;
            if let (Ok(Ok(_)), Ok(args)) = (read, serde_json::from_slice::<Vec<String>>(&said))
                && !leaving.is_cancelled()
            {
                heard(&args);
                // Whoever started it may be gone.
                let _ = caller.write_all(HEARD).await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_start_is_heard_word_for_word() {
        let place = tempfile::tempdir().unwrap();
        assert!(!took_over(place.path(), &[]));
        let first = local_socket::listen(place.path(), NAME).unwrap();
        first.set_nonblocking(false).unwrap();
        let heard = std::thread::spawn(move || {
            let (mut caller, _) = first.accept().unwrap();
            let mut said = String::new();
            caller.read_to_string(&mut said).unwrap();
            caller.write_all(HEARD).unwrap();
            said
        });
        assert!(took_over(place.path(), &["plancard".to_owned(), "plancard://new".to_owned()]));
        assert_eq!(heard.join().unwrap(), r#"["plancard","plancard://new"]"#);
    }

    #[tokio::test]
    async fn one_that_is_leaving_hears_nobody() {
        let place = tempfile::tempdir().unwrap();
        let leaving = CancellationToken::new();
        let heard = |_: &[String]| {};
        let listener = local_socket::listen(place.path(), NAME).unwrap();
        tokio::spawn(serve(listener, leaving.clone(), heard));
        let again = async || {
            let data = place.path().to_owned();
            tokio::task::spawn_blocking(move || took_over(&data, &[])).await.unwrap()
        };
        assert!(again().await);
        leaving.cancel();
        assert!(!again().await);
    }
}
