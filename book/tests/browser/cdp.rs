//! A headless Chromium, driven through its debugging protocol: just enough to open a page and evaluate
//! expressions in it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::{Error, Message, WebSocket, client};

/// No page of the book takes nearly this long, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The installed Chromium or Chrome: the one that `CHROME` names, or else one with a usual name.
pub fn installed() -> Option<PathBuf> {
    let named = std::env::var_os("CHROME").map(PathBuf::from);
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    named.or_else(|| folders.iter().flat_map(|f| names.map(|n| f.join(n))).find(|path| path.is_file()))
}

/// A running browser. The tests of a program share it, because starting one takes as long as checking four pages.
struct Chromium {
    child: Child,
    /// The address of its debugging interface.
    address: String,
    profile: TempDir,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Its helper processes write into the profile for a moment after it has ended.
        for _ in 0..100 {
            if std::fs::remove_dir_all(self.profile.path()).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Chromium {
    /// The running browser, or else a new one. It ends with the last of its tabs.
    fn shared(program: &Path) -> Arc<Chromium> {
        static RUNNING: Mutex<Weak<Chromium>> = Mutex::new(Weak::new());
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.upgrade().unwrap_or_else(|| {
            let chromium = Arc::new(Chromium::start(program));
            *running = Arc::downgrade(&chromium);
            chromium
        })
    }

    fn start(program: &Path) -> Chromium {
        let profile = TempDir::new().unwrap();
        let mut child = Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--remote-debugging-port=0", "--disable-extensions", "--allow-file-access-from-files"])
            // A tab behind another one stays as fast.
            .args(["--disable-background-timer-throttling", "--disable-renderer-backgrounding"])
            .arg("--disable-backgrounding-occluded-windows")
            .env("TMPDIR", profile.path())
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address =
            lines.find_map(|line| line.split_once("listening on ws://").map(|(_, a)| a.trim().to_owned())).unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        Chromium { child, address, profile }
    }
}

/// A browser with one tab, isolated from the pages of other tabs.
pub struct Browser {
    socket: WebSocket<TcpStream>,
    session: String,
    /// The storage for its pages.
    profile: Value,
    language: String,
    next: u64,
    /// The page's console output, and its uncaught exceptions.
    pub errors: Vec<String>,
    /// The addresses that the page requested.
    pub requests: Vec<String>,
    _chromium: Arc<Chromium>,
}

impl Browser {
    /// Opens the browser with an empty profile, speaking `language`.
    pub fn start(program: &Path, language: &str) -> Browser {
        let mut browser = Browser::connect(Chromium::shared(program), language);
        // The storage is removed when the connection closes.
        let profile = browser.call("Target.createBrowserContext", json!({"disposeOnDetach": true}));
        browser.profile = profile["browserContextId"].clone();
        browser.attach();
        browser
    }

    /// Another tab of this browser: both share their storage. It has to be dropped first.
    #[allow(dead_code, reason = "one tab opens the book's pages")]
    pub fn beside(&self) -> Browser {
        let mut browser = Browser::connect(Arc::clone(&self._chromium), &self.language);
        browser.profile = self.profile.clone();
        browser.attach();
        browser
    }

    fn connect(chromium: Arc<Chromium>, language: &str) -> Browser {
        let host = chromium.address.split('/').next().unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let (socket, _) = client(format!("ws://{}", chromium.address), stream).unwrap();
        let (session, profile, language) = (String::new(), Value::Null, language.to_owned());
        Browser { socket, session, profile, language, next: 0, errors: vec![], requests: vec![], _chromium: chromium }
    }

    fn attach(&mut self) {
        let tab = json!({"url": "about:blank", "browserContextId": self.profile, "newWindow": true});
        let tab = self.call("Target.createTarget", tab)["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({"targetId": tab, "flatten": true}));
        self.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            self.call(domain, json!({}));
        }
        self.call("Network.setUserAgentOverride", json!({"userAgent": "test", "acceptLanguage": self.language}));
        // Each page believes that it is in front.
        self.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
    }

    /// Calls a method of the protocol and returns its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let reply = self.exchange(method, params);
        assert!(reply["error"].is_null(), "{method}: {}", reply["error"]);
        reply["result"].clone()
    }

    /// Sends a call and waits for its reply, which may be an error.
    fn exchange(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let reply = self.receive();
            if reply["id"] == id {
                return reply;
            }
        }
    }

    fn receive(&mut self) -> Value {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let event: Value = serde_json::from_str(&text).unwrap();
                    self.note(&event);
                    return event;
                }
                Ok(_) => {}
                // A stopped process that continues finds its read interrupted.
                Err(Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("the browser did not answer for {TIMEOUT:?}, or is gone: {error}"),
            }
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        if event["method"] == "Network.requestWillBeSent" {
            self.requests.extend(params["request"]["url"].as_str().map(str::to_owned));
        }
        let said = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => params["exceptionDetails"].to_string(),
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => params["args"].to_string(),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => params["entry"].to_string(),
            Some("Network.loadingFailed") if params["canceled"] != true => params.to_string(),
            _ => return,
        };
        self.errors.push(said);
    }

    /// Sets the window's size and the system's colour scheme.
    pub fn look(&mut self, width: u32, dark: bool) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Opens an address and waits until everything is loaded.
    pub fn open(&mut self, url: &str) {
        // Distinguishes the page that is left from the next one, even if both have the same address.
        self.ask("window.isLeft = true");
        let opened = self.call("Page.navigate", json!({"url": url}));
        // Another place on the same page does not load again.
        let is_new = if opened["loaderId"].is_null() { "" } else { "!window.isLeft && " };
        let address = json!(url.split('#').next().unwrap());
        self.until(&format!("{is_new}document.readyState === 'complete' && location.href.startsWith({address})"));
    }

    /// Evaluates an expression, awaiting it if it is a promise.
    pub fn ask(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let reply = self.call("Runtime.evaluate", params);
        assert!(reply["exceptionDetails"].is_null(), "{expression}: {}", reply["exceptionDetails"]);
        reply["result"]["value"].clone()
    }

    /// Waits until an expression is true; the page may change meanwhile.
    pub fn until(&mut self, expression: &str) {
        let start = Instant::now();
        loop {
            let params = json!({"expression": expression, "returnByValue": true});
            // A page that is just being left can't answer.
            if self.exchange("Runtime.evaluate", params)["result"]["result"]["value"] == true {
                return;
            }
            if start.elapsed() > TIMEOUT {
                let here = self.ask("location.href + ' ' + document.readyState");
                panic!("never true: {expression}; the browser is at {here}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// A picture of the whole page, as PNG in base64.
    pub fn picture(&mut self) -> String {
        let shot = self.call("Page.captureScreenshot", json!({"captureBeyondViewport": true}));
        shot["data"].as_str().unwrap().to_owned()
    }
}

/// The source of axe-core, which npm installs into this folder, or `None` after a message; in CI it must be
/// there.
///
/// Two test programs may need it at once, and each begins by emptying the folder: one waits for the other.
pub fn axe_in(folder: &Path) -> Option<String> {
    let file = folder.join("node_modules/axe-core/axe.min.js");
    let turn = std::fs::File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm-ci.lock")).unwrap();
    turn.lock().unwrap();
    if !file.is_file() {
        let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        let npm = Command::new("npm").args(install).current_dir(folder).status();
        if !npm.is_ok_and(|status| status.success()) {
            assert!(std::env::var_os("CI").is_none(), "no axe-core: npm ci in book/browser failed, and this is CI");
            eprintln!("skipped: no axe-core (npm ci in book/browser)");
            return None;
        }
    }
    Some(std::fs::read_to_string(file).unwrap())
}
