"""A package registry on loopback, for npm (`/`) and for Python (`/simple/`).

It is told a folder: requests are written to `log` there, and what lies below `git` is served.
Its first line names two ports: its own, and one where nobody is to be seen. What asks there is
written to `elsewhere`. Names say what is wrong with a package.
"""

import base64
import hashlib
import http.server
import io
import json
import os
import sys
import tarfile
import threading
import zipfile

FOLDER = sys.argv[1]
TOKEN = "t0ken-of-the-registry"

SERVER = """#!/usr/bin/env node
const lines = require("readline").createInterface({ input: process.stdin });
const answers = {
  initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} },
                        serverInfo: { name: "tiny", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "args", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: process.argv.slice(2).join(" ") }] }),
};
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: (answers[method] ?? (() => ({})))(params) }));
});
"""

PYTHON_SERVER = """import json, sys

def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        result = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "tiny", "version": "1"}},
            "tools/list": {"tools": [{"name": "args", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": " ".join(sys.argv[1:])}]},
        }.get(asked["method"], {})
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def tarball(top, files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(text), 0o755
            tar.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def npm_packages(own, far, elsewhere):
    """By name: what it says of itself, its tarball, and the host that gives it out."""
    scripts = {when: "touch ../../ran" for when in ["preinstall", "install", "postinstall", "prepare"]}
    bad = f"registry=http://{elsewhere}/\nignore-scripts=false\nscript-shell=/bin/sh\ngit=./evil-git\nallow-git=all\n"
    rows = {
        "tiny": ({"dependencies": {"leaf": "^1.0.0"}, "scripts": scripts}, {}, own),
        "leaf": ({"scripts": scripts}, {}, own),
        "far": ({}, {}, far),
        "with-git": ({"dependencies": {"g": f"git+http://{own}/git/g.git"}}, {}, own),
        "with-ssh": ({"dependencies": {"g": "git+ssh://git@localhost/g.git"}}, {}, own),
        "with-short": ({"dependencies": {"g": "some/one"}}, {}, own),
        "with-deep": ({"dependencies": {"with-git": "^1.0.0"}}, {}, own),
        "with-optional": ({"optionalDependencies": {"g": f"git+http://{own}/git/g.git"}}, {}, own),
        "with-address": ({"dependencies": {"leaf": f"http://{elsewhere}/leaf.tgz"}}, {}, own),
        "with-own-address": ({"dependencies": {"leaf": f"http://{own}/files/leaf.tgz"}}, {}, own),
        "with-settings": (
            {"scripts": scripts, "dependencies": {"leaf": "^1.0.0"}},
            {".npmrc": bad, "evil-git": "#!/bin/sh\ntouch ../../ran\n"},
            own,
        ),
        "@corp/tiny": ({}, {}, own),
    }
    packages = {}
    for name, (says, files, host) in rows.items():
        says = {"name": name, "version": "1.0.0", "bin": {"tiny-server": "server.js"}, **says}
        packed = tarball("package", {"package.json": json.dumps(says), "server.js": SERVER, **files})
        packages[name] = (says, packed, host)
    return packages


def wheel(name, wants, files):
    packed, info = io.BytesIO(), f"{name}-1.0.dist-info"
    said = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    said += "".join(f"Requires-Dist: {wanted}\n" for wanted in wants)
    with zipfile.ZipFile(packed, "w") as zipped:
        for path, text in {
            f"{name}.py": PYTHON_SERVER,
            f"{info}/METADATA": said,
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/entry_points.txt": f"[console_scripts]\n{name}={name}:main\n",
            f"{info}/RECORD": "",
            **files,
        }.items():
            zipped.writestr(path, text)
    return packed.getvalue()


def python_files(own, far, elsewhere):
    """By file name: what is in it and the host that gives it out."""
    evil = f"open({os.path.join(FOLDER, 'ran')!r}, 'w')"
    pth = f"import sys; exec(\"try:\\n {evil}\\nexcept OSError:\\n pass\")\n"
    back_end = f"{evil}\ndef build_wheel(*a, **k): {evil}\n"
    rows = {
        "tiny": (["leaf"], {"evil.pth": pth}, own),
        "leaf": ([], {}, own),
        "far": ([], {}, far),
        "withgit": ([f"leaf @ git+http://{own}/git/g.git"], {}, own),
        "withaddress": ([f"leaf @ http://{own}/files/leaf-1.0-py3-none-any.whl"], {}, own),
        "withsource": (["source"], {}, own),
    }
    files = {
        f"{name}-1.0-py3-none-any.whl": (wheel(name, wants, more), host)
        for name, (wants, more, host) in rows.items()
    }
    source = tarball("source-1.0", {
        "PKG-INFO": "Metadata-Version: 2.1\nName: source\nVersion: 1.0\n",
        "pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'back_end'\nbackend-path = ['.']\n",
        "back_end.py": back_end,
    })
    files["source-1.0.tar.gz"] = (source, own)
    return files


def note(name, line):
    with open(os.path.join(FOLDER, name), "a") as log:
        log.write(line + "\n")


class Elsewhere(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        note("elsewhere", f"{self.command} {self.path}")
        self.send_error(404)

    do_POST = do_HEAD = do_CONNECT = do_GET

    def log_message(self, *_):
        pass


class Registry(Elsewhere):
    def do_GET(self):
        login = self.headers.get("authorization", "-")
        note("log", f"{self.command} {self.headers.get('host')} {self.path} {login}")
        found = self.found(self.path.split("?")[0].strip("/").replace("%2f", "/"), login)
        if found is None:
            return self.send_error(404)
        body, kind = found
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def found(self, path, login):
        first, _, rest = path.partition("/")
        if first == "git":
            file = os.path.join(FOLDER, "git", *rest.split("/"))
            return (open(file, "rb").read(), "text/plain") if os.path.isfile(file) else None
        if first == "files" and rest in PYTHON:
            return PYTHON[rest][0], "application/octet-stream"
        if first == "files" and rest.removesuffix(".tgz") in NPM:
            return NPM[rest.removesuffix(".tgz")][1], "application/octet-stream"
        if first == "simple":
            files = [name for name in PYTHON if name.split("-")[0] == rest]
            lines = [
                f'<a href="http://{PYTHON[name][1]}/files/{name}#sha256='
                f'{hashlib.sha256(PYTHON[name][0]).hexdigest()}">{name}</a>'
                for name in files
            ]
            return ("".join(lines).encode(), "text/html") if files else None
        if path in NPM and (not path.startswith("@") or TOKEN in login):
            says, packed, host = NPM[path]
            hashed = base64.b64encode(hashlib.sha512(packed).digest()).decode()
            dist = {"tarball": f"http://{host}/files/{path}.tgz", "integrity": f"sha512-{hashed}"}
            body = {"name": path, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {**says, "dist": dist}}}
            return json.dumps(body).encode(), "application/json"
        return None


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


OWN, AWAY = serve(Registry), serve(Elsewhere)
HOSTS = f"127.0.0.1:{OWN}", f"localhost:{OWN}", f"127.0.0.1:{AWAY}"
NPM, PYTHON = npm_packages(*HOSTS), python_files(*HOSTS)
print(OWN, AWAY, flush=True)
# It ends with whoever started it.
sys.stdin.read()
