"""A server behind an address that wants a login, and the place to log in, in one.

Prints its port. Files in the folder it runs in change it: with `deny` there the
person says no, with `revoked` the first token is good no more.
"""

import base64
import hashlib
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlparse

CHALLENGES = {}


def good():
    return ["token-2"] if os.path.exists("revoked") else ["token-1", "token-2"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def base(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def reply(self, status, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", "application/json")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urlparse(self.path)
        if url.path.startswith("/.well-known/oauth-protected-resource"):
            return self.reply(200, {
                "resource": self.base() + "/mcp",
                "authorization_servers": [self.base()],
            })
        if url.path == "/.well-known/oauth-authorization-server":
            return self.reply(200, {
                "issuer": self.base(),
                "authorization_endpoint": self.base() + "/authorize",
                "token_endpoint": self.base() + "/token",
                "registration_endpoint": self.base() + "/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            })
        if url.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(url.query).items()}
            CHALLENGES["the-code"] = asked["code_challenge"]
            back = {"state": asked["state"]}
            if os.path.exists("deny"):
                back.update(error="access_denied", error_description="They said no")
            else:
                back.update(code="the-code")
            return self.reply(302, Location=asked["redirect_uri"] + "?" + urlencode(back))
        self.reply(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/register":
            asked = json.loads(body)
            return self.reply(201, {"client_id": "plancard", "redirect_uris": asked["redirect_uris"]})
        if self.path == "/token":
            return self.token({name: values[0] for name, values in parse_qs(body.decode()).items()})
        if self.path == "/mcp":
            return self.speak(json.loads(body))
        self.reply(404)

    def token(self, asked):
        if asked["grant_type"] == "authorization_code":
            hashed = hashlib.sha256(asked["code_verifier"].encode()).digest()
            proof = base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()
            if CHALLENGES.pop(asked["code"], None) != proof:
                return self.reply(400, {"error": "invalid_grant"})
            token = "token-1"
        elif asked.get("refresh_token") == "refresh-1":
            token = "token-2"
        else:
            return self.reply(400, {"error": "invalid_grant"})
        self.reply(200, {
            "access_token": token,
            "token_type": "Bearer",
            "refresh_token": "refresh-1",
            "expires_in": 3600,
        })

    def speak(self, message):
        sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if sent not in good():
            where = f'Bearer resource_metadata="{self.base()}/.well-known/oauth-protected-resource/mcp"'
            return self.reply(401, WWW_Authenticate=where)
        method = message["method"]
        if "id" not in message:
            return self.reply(202)
        if method == "initialize":
            result = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "login", "version": "1"},
            }
        elif method == "tools/list":
            result = {"tools": [{"name": "who", "inputSchema": {"type": "object"}}]}
        else:
            result = {"content": [{"type": "text", "text": "you are welcome"}]}
        self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
