#!/usr/bin/env bash
# Pictures of the made-up window: dev/shots.sh OUT [NAME…]; needs chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="$1"; shift
mkdir -p "$out"
profile="$(mktemp -d)"
python3 -m http.server 5199 --bind 127.0.0.1 --directory node_modules/.cache/dev >/dev/null 2>&1 &
server=$!
trap 'kill $server; rm -rf "$profile"' EXIT
sleep 0.7

shot() { # name size query
  [ $# -eq 3 ] || return
  chromium --headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync \
    --no-first-run --hide-scrollbars --user-data-dir="$profile" --window-size="$2" --virtual-time-budget=2500 \
    --screenshot="$out/$1.png" "http://127.0.0.1:5199/index.html?$3" >/dev/null 2>&1
}
all='running|1360,860|state=running&click=[aria-label="Show details of step 1"]
running-dark|1360,860|state=running&theme=dark&click=[aria-label="Show details of step 1"]
approval|1360,860|state=approval
approval-dark|1360,860|state=approval&theme=dark
checkin|1360,860|state=checkin
checkin-diff|1360,860|state=checkin&click=[aria-label="Show details of step 8"]&click=.file .name
checkin-diff-narrow|1024,700|state=checkin&click=[aria-label="Show details of step 8"]&click=.file .name
checkin-diff-far-narrow|1024,700|state=checkin&click=[aria-label="Show details of step 8"]&click=.file .name&click=[aria-label="Show details of step 1"]
drift|1360,860|state=drift&click=[aria-label="Show details of step 1"]&click=.file .name
empty|1360,860|state=empty
first-run|1360,860|state=first-run&screen=2
first-run-locked|1360,860|state=first-run-locked&screen=2&click=.option:nth-of-type(2) input
first-run-1|1360,860|state=first-run
first-run-3|1360,860|state=first-run&screen=3
long|1360,860|state=long
long-narrow|1024,700|state=long
checkin-narrow|1024,700|state=checkin
approval-narrow|1024,700|state=approval
running-narrow-dark|1024,700|state=running&theme=dark
drift-narrow|1024,700|state=drift
revised|1360,860|state=revised&seen=1
revised-narrow-dark|1024,700|state=revised&seen=1&theme=dark
bare|1360,860|state=bare
bare-narrow-dark|1024,700|state=bare&theme=dark
soft|1360,860|state=soft
soft-narrow-dark|1024,700|state=soft&theme=dark
reported|1360,860|state=reported
reported-open|1360,860|state=reported&click=.report .link
reported-open-narrow-dark|1024,700|state=reported&theme=dark&click=.report .link
editor-comment|1360,860|state=approval&click=.bar button:nth-of-type(2)&click=[aria-label="Comment on step 2"]
editor-running|1360,860|state=stuck&click=.bar button:nth-of-type(2)
inbox-plan|1360,860|state=elsewhere&click=[aria-label^=Inbox]
inbox-plan-narrow-dark|1024,700|state=elsewhere&theme=dark&click=[aria-label^=Inbox]
editor|1360,860|state=approval&click=.bar button:nth-of-type(2)
editor-narrow|1024,700|state=approval&click=.bar button:nth-of-type(2)
stuck|1360,860|state=stuck
unchecked|1360,860|state=unchecked&click=[aria-label="Show details of step 3"]
unchecked-narrow-dark|1024,700|state=unchecked&theme=dark
pausing|1360,860|state=pausing
running-menu|1360,860|state=running&click=[aria-label="More for this plan"]
running-menu-narrow-dark|1024,700|state=running&theme=dark&click=[aria-label="More for this plan"]
queued|1360,860|state=running&queued=And then run the linter, too&queued=Write down in docs/auth.md what you found, with the names of the routes and the scopes that they check, so that the next person knows where to begin, and which of them nobody uses any more
queued-narrow-dark|1024,700|state=busy&theme=dark&queued=And the tests, too
question|1360,860|state=question
failed|1360,860|state=failed
hostile|1360,860|state=hostile
huge|1360,860|state=huge
huge-narrow|1024,700|state=huge
many|1360,860|state=many
stream|1360,860|state=stream
settings|1360,860|state=running&click=[aria-label=Settings]
settings-search|1360,860|state=running&click=[aria-label=Settings]&type=[aria-label="Search settings"]&text=seconds
settings-agents|1360,860|state=running&click=[aria-label=Settings]&click=[id="tab-Agents"]
settings-mcp|1360,860|state=running&click=[aria-label=Settings]&click=[id="tab-MCP servers"]
settings-tools|1360,860|state=running&click=[aria-label=Settings]&click=[id="tab-Tools"]
settings-tools-narrow-dark|1024,700|state=running&theme=dark&click=[aria-label=Settings]&click=[id="tab-Tools"]
settings-mcp-open-narrow-dark|1024,700|state=running&theme=dark&click=[aria-label=Settings]&click=[id="tab-MCP servers"]&click=.state summary
settings-program|1360,860|state=running&click=[aria-label=Settings]&click=[aria-label="Edit Claude Code"]
settings-program-narrow-dark|1024,700|state=running&theme=dark&click=[aria-label=Settings]&click=[aria-label="Edit Claude Code"]
settings-facts|1360,1300|state=running&click=[aria-label=Settings]&click=[aria-label="Edit home"]
settings-mcp-long|1360,1500|state=running&click=[aria-label=Settings]&click=[id="tab-MCP servers"]
settings-councils|1360,860|state=running&click=[aria-label=Settings]&click=[id="tab-Goals and councils"]
settings-window|1360,860|state=running&click=[aria-label=Settings]&click=[id="tab-Window"]
settings-about|1360,860|state=locked&click=[aria-label=Settings]&click=[id="tab-About"]
settings-locked|1360,860|state=locked&click=[aria-label=Settings]&click=[aria-label="Edit OpenAI"]
settings-limits|1360,860|state=running&click=[aria-label=Settings]&click=[id="tab-Limits"]
settings-narrow-dark|1024,700|state=running&theme=dark&click=[aria-label=Settings]&click=[id="tab-Agents"]
inbox|1360,860|state=drift&click=[aria-label^=Inbox]
history|1360,860|state=checkin&click=[aria-label="More for this room"]&click=[role=menuitem]:nth-of-type(3)
history-plan|1360,860|state=checkin&click=[aria-label="More for this room"]&click=[role=menuitem]:nth-of-type(3)&click=dialog li button
export|1360,860|state=checkin&click=[aria-label="More for this room"]&click=[role=menuitem]:nth-of-type(4)
busy|1360,860|state=busy
no-sandbox|1360,860|state=locked
inbox-stuck|1360,860|state=stuck&click=[aria-label^=Inbox]
inbox-checkin-narrow|1024,700|state=checkin&click=[aria-label^=Inbox]
done-narrow|1024,700|state=done
folded|1360,860|state=over
folded-narrow-dark|1024,700|state=over&theme=dark
folder-gone|1360,860|state=gone&type=[data-region=composer]&text=@
folder-gone-narrow-dark|1024,700|state=gone&theme=dark
archived|1360,860|state=away
folder-shared|1360,860|state=gone&click=.bar button
delete|1360,860|state=done&click=[aria-label="More for this room"]&click=[role=menuitem]:last-of-type
delete-busy|1360,860|state=busy&click=[aria-label="More for this room"]&click=[role=menuitem]:last-of-type
long-answer|1360,860|state=long-answer
inbox-narrow-dark|1024,700|state=drift&theme=dark&click=[aria-label^=Inbox]
settings-narrow|1024,700|state=running&click=[aria-label=Settings]
new-room-dark|1360,860|state=running&theme=dark&click=[aria-label="New room"]
new-room|1360,860|state=running&click=[aria-label="New room"]
graph|1360,860|state=graph
graph-dark|1360,860|state=graph&theme=dark
graph-picked|1360,860|state=graph&click=[data-node=s1]
graph-narrow|1024,700|state=graph&click=[aria-label^="Show the inspector"]
graph-card|1360,860|state=graph&click=input[value=graph]
graph-card-narrow-dark|1024,700|state=graph&theme=dark&click=input[value=graph]
sidekicks|1360,860|state=sidekicks&click=[aria-label="Steer brave-penguin"]
sidekicks-narrow-dark|1024,700|state=sidekicks&theme=dark&click=[aria-label^="Show the inspector"]
conflict|1360,860|state=conflict
conflict-narrow-dark|1024,700|state=conflict&theme=dark&click=[aria-label^="Show the inspector"]
permission|1360,860|state=permission
goal|1360,860|state=goal
goal-dark|1360,860|state=goal&theme=dark
goal-card|1360,860|state=goal&click=input[value=graph]
goal-card-narrow|1024,700|state=goal&click=input[value=graph]
wide|1360,860|state=wide
wide-card|1360,860|state=wide&click=input[value=graph]
sidekick|1360,860|state=sidekick
sidekick-over|1360,860|state=sidekick-over
sidekick-over-narrow-dark|1024,700|state=sidekick-over&theme=dark
no-sidekicks|1360,860|state=lonely&click=[aria-label^="Show the inspector"]
turned|1360,860|state=turned
turned-narrow-dark|1024,700|state=turned&theme=dark
cut-off|1360,860|state=cut-off
crowded|1360,860|state=crowded
crowded-narrow|1024,700|state=crowded
wordy-narrow|1024,700|state=wordy
wordy-narrow-dark|1024,700|state=wordy&theme=dark&click=[aria-label="Show details of step 10"]
council-three|1360,860|state=council-three
council-three-dark|1360,860|state=council-three&theme=dark
council-three-narrow|1024,700|state=council-three
council-two|1360,860|state=council-two
council-begun|1360,860|state=council-begun
council-five|1360,860|state=council-five
council-five-dark|1360,860|state=council-five&theme=dark
council-five-narrow|1024,700|state=council-five
council-eight|1360,860|state=council-eight
council-eight-wide|1920,1080|state=council-eight
council-eight-narrow-dark|1024,700|state=council-eight&theme=dark
council-paused|1360,860|state=council-paused
council-capped-narrow|1024,700|state=council-capped
council-failed|1360,860|state=council-failed
council-restarted|1920,1080|state=council-restarted&click=.rounds summary
council-decided|1360,860|state=council-decided
council-decided-narrow-dark|1024,700|state=council-decided&theme=dark
council-votes|1360,860|state=council-executing&click=.went .all
council-reuse|1360,860|state=council-reuse
council-compare|1360,860|state=council-five&click=[aria-label="Compare agent2.2"]
council-read-dark|1360,860|state=council-three&theme=dark&click=[aria-label="Read agent2.1"]
council-pick|1360,860|state=council-three&click=.foot .buttons button:nth-of-type(2)
council-vote|1360,860|state=council-three&click=.foot .buttons button:nth-of-type(3)
council-start|1360,860|state=done&type=[data-region=composer]&text=Add%20a%20retry%20policy&click=[aria-label^="Start a council"]&click=dialog summary
council-member|1360,860|state=member
council-inbox|1360,860|state=council-capped&click=[aria-label^=Inbox]'
while IFS='|' read -r name size query; do
  if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then shot "$name" "$size" "$(printf %s "$query" | sed 's/ /%20/g; s/"/%22/g; s/\^/%5E/g')"; fi
done <<<"$all"
