"""Starts the server that its arguments name and carries words to and fro. While there is a file
`withhold` in its folder, answers to calls of tools are kept back. What the server is told and
asked is listed in the file `heard`, one method to a line.
"""

import json
import os
import subprocess
import sys
import threading

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
calls = set()


def inwards():
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message.get("method") == "tools/call":
            calls.add(message["id"])
        server.stdin.write(line)
        server.stdin.flush()
        try:
            with open("heard", "a") as file:
                file.write(message.get("method", "") + "\n")
        except OSError:
            # Where nothing may be written, nobody asks either.
            pass
    server.stdin.close()


threading.Thread(target=inwards, daemon=True).start()
for line in server.stdout:
    answers = json.loads(line).get("id") in calls
    if not (answers and os.path.exists("withhold")):
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
