"""An agent for tests: it speaks the Agent Client Protocol and plays `agent.json` of its folder.

`agent.json` is a list of turns, each a list of actions; a prompt plays the next one. The last
word of each action that asks something is told back as text.
"""

import json
import sys
import threading
import time

ARGS = sys.argv[1:]
session = "s-1"
turns = []
last = 0
called_off = False
model = "small"


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(what, **more):
    news = {"sessionUpdate": what, **more}
    send({"method": "session/update", "params": {"sessionId": session, "update": news}})


def say(text):
    update("agent_message_chunk", content={"type": "text", "text": text})


def hear():
    global called_off
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message = json.loads(line)
    if message.get("method") == "session/cancel":
        called_off = True
    return message


def ask(method, **params):
    global last
    last += 1
    send({"id": last, "method": method, "params": {"sessionId": session, **params}})
    while True:
        message = hear()
        if message.get("id") == last and "method" not in message:
            return message


def told(answer):
    if "error" in answer:
        return "refused: " + answer["error"]["message"]
    return "ok " + json.dumps(answer["result"], sort_keys=True)


def write_on(path):
    """Writes behind everybody's back, as long as it may and lives."""
    while True:
        try:
            with open(path, "a") as file:
                file.write("tick\n")
        except OSError:
            pass
        time.sleep(0.02)


def play(name, value, prompt):
    if name == "say":
        say(value)
    elif name == "think":
        update("agent_thought_chunk", content={"type": "text", "text": value})
    elif name == "own_tool":
        update("tool_call", toolCallId="c1", title=value, kind="other", status="pending")
    elif name == "repeat_prompt":
        say("heard: " + prompt)
    elif name == "tell_model":
        say("model: " + model)
    elif name == "write":
        say(told(ask("fs/write_text_file", path=value[0], content=value[1])))
    elif name == "read":
        say(told(ask("fs/read_text_file", **value)))
    elif name == "run":
        made = ask("terminal/create", command=value)
        if "error" in made:
            return say(told(made))
        terminal = made["result"]["terminalId"]
        say(told(ask("terminal/wait_for_exit", terminalId=terminal)))
        say(told(ask("terminal/output", terminalId=terminal)))
        ask("terminal/release", terminalId=terminal)
    elif name == "permit":
        options = [
            {"optionId": "yes-always", "name": "Always", "kind": "allow_always"},
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ]
        options = value.pop("options", options)
        call = {"toolCallId": "c1", **value}
        say(told(ask("session/request_permission", toolCall=call, options=options)))
    elif name == "plan":
        entries = [{"content": c, "status": s, "priority": "medium"} for c, s in value]
        update("plan", entries=entries)
    elif name == "direct":
        try:
            with open(value, "w") as file:
                file.write("direct")
            say("direct ok")
        except OSError as error:
            say("direct failed: " + type(error).__name__)
    elif name == "keep_writing":
        threading.Thread(target=write_on, args=(value,), daemon=True).start()
    elif name == "unknown":
        say(told(ask(value)))
    elif name == "error":
        return {"error": {"code": value[0], "message": value[1]}}
    elif name == "crash":
        sys.stderr.write(value + "\n")
        sys.stderr.flush()
        sys.exit(3)
    elif name == "garbage":
        sys.stdout.write(value + "\n")
        sys.stdout.flush()
    elif name == "endless":
        long = "a" * (1024 * 1024)
        while True:
            if value == "news":
                update("available_commands_update", text=long)
            elif value == "requests":
                send({"id": 1, "method": "unknown", "params": {"text": long}})
            elif value == "arguments":
                content = long * 5
                send({"id": 1, "method": "fs/write_text_file", "params": {"path": "a", "content": content}})
            else:
                play(value, long, prompt)
    elif name == "wait":
        while not called_off:
            hear()
        if "--deaf" in ARGS:
            while True:
                hear()
    return None


def prompted(message):
    global called_off
    called_off = False
    prompt = message["params"]["prompt"][0]["text"]
    for action in turns.pop(0) if turns else [{"say": "nothing left"}]:
        for name, value in action.items():
            ended = play(name, value, prompt)
            if ended:
                return send({"id": message["id"], **ended})
    reason = "cancelled" if called_off else "end_turn"
    usage = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}
    send({"id": message["id"], "result": {"stopReason": reason, "usage": usage}})


def main():
    global turns, model
    while True:
        message = hear()
        method = message.get("method")
        if method == "initialize":
            version = 99 if "--other-version" in ARGS else 1
            ways = [{"id": "web", "name": "Log in on the web"}]
            hello = {"protocolVersion": version, "agentCapabilities": {}, "authMethods": ways}
            send({"id": message["id"], "result": hello})
        elif method == "session/new":
            if "--login" in ARGS:
                error = {"code": -32000, "message": "Authentication required"}
                send({"id": message["id"], "error": error})
                continue
            with open("agent.json") as script:
                turns = json.load(script)
            options = [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]
            models = {"id": "m", "category": "model", "currentValue": model, "options": options}
            opened = {"sessionId": session, "configOptions": [models]}
            send({"id": message["id"], "result": opened})
        elif method == "session/set_config_option":
            model = message["params"]["value"]
            send({"id": message["id"], "result": {"configOptions": []}})
        elif method == "session/prompt":
            prompted(message)


main()
