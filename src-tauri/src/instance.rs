//! One window per data folder: a second start hands its arguments to the first and leaves.
//!
//! The first listens on a socket in the data folder, which it holds the lock of, so that a start
//! costs no round trip to any daemon. What is heard there only ever navigates.

use crate::house::House;
use crate::links;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
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
    let folder = Folder::open(data)?;
    let mut first = UnixStream::connect(folder.socket())?;
    first.set_read_timeout(Some(PATIENCE))?;
    first.set_write_timeout(Some(PATIENCE))?;
    first.write_all(&serde_json::to_vec(args)?)?;
    first.shutdown(std::net::Shutdown::Write)?;
    let mut answer = Vec::new();
    first.take(MOST).read_to_end(&mut answer)?;
    if answer == HEARD { Ok(()) } else { Err(io::Error::other("it did not understand")) }
}

/// Hears later starts until the app is about to end: what starts then has to open a window itself.
/// The folder's lock is ours, so a socket that is there was left behind.
pub fn listen(app: &AppHandle, house: &House) {
    match listener(&house.data) {
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

fn listener(data: &Path) -> io::Result<UnixListener> {
    let folder = Folder::open(data)?;
    match std::fs::remove_file(data.join(NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(folder.socket())?;
    std::fs::set_permissions(data.join(NAME), std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
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

/// The data folder, held open: a socket's path may be no longer than a hundred bytes, and the
/// folder's may be.
struct Folder(File);

impl Folder {
    fn open(data: &Path) -> io::Result<Self> {
        File::open(data).map(Self)
    }

    fn socket(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd())).join(NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_left_behind_hears_nobody_and_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a".repeat(120));
        std::fs::create_dir(&deep).unwrap();
        assert!(!took_over(&deep, &[]));
        drop(listener(&deep).unwrap());
        assert!(deep.join(NAME).exists());
        assert!(!took_over(&deep, &[]));
        let first = listener(&deep).unwrap();
        let mode = std::fs::metadata(deep.join(NAME)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        first.set_nonblocking(false).unwrap();
        let heard = std::thread::spawn(move || {
            let (mut caller, _) = first.accept().unwrap();
            let mut said = String::new();
            caller.read_to_string(&mut said).unwrap();
            caller.write_all(HEARD).unwrap();
            said
        });
        assert!(took_over(&deep, &["plancard".to_owned(), "plancard://new".to_owned()]));
        assert_eq!(heard.join().unwrap(), r#"["plancard","plancard://new"]"#);
    }
    #[tokio::test]
    async fn one_that_is_leaving_hears_nobody() {
        let place = tempfile::tempdir().unwrap();
        let leaving = CancellationToken::new();
        let heard = |_: &[String]| {};
        tokio::spawn(serve(listener(place.path()).unwrap(), leaving.clone(), heard));
        let again = async || {
            let data = place.path().to_owned();
            tokio::task::spawn_blocking(move || took_over(&data, &[])).await.unwrap()
        };
        assert!(again().await);
        leaving.cancel();
        assert!(!again().await);
    }
}
