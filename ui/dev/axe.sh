#!/usr/bin/env bash
# What axe-core finds in each made-up state, light and dark; needs chromium and `npm run build:dev`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
profile="$(mktemp -d)"
python3 -m http.server 5198 --bind 127.0.0.1 --directory node_modules/.cache/dev >/dev/null 2>&1 &
server=$!
trap 'kill $server; rm -rf "$profile"' EXIT
sleep 0.7
look() {
  printf '%s: ' "$1"
  chromium --headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync --no-first-run \
    --user-data-dir="$profile" --window-size=1360,860 --virtual-time-budget=8000 --dump-dom "http://127.0.0.1:5198/index.html?axe=1&$1" 2>/dev/null |
    sed -n '/<pre id="axe">/,$p' | sed 's/.*<pre id="axe">//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; /<\/body>/d; /<\/html>/d'
}
for theme in light dark; do
  for state in graph 'graph&click=[data-node=s1]' 'graph&click=input[value=graph]' sidekicks 'sidekicks&click=[aria-label="Steer%20brave-penguin"]' conflict permission goal wide sidekick sidekick-over 'lonely&click=[aria-label^="Show%20the%20inspector"]' empty over gone away long-answer busy locked running 'running&queued=one&queued=two' unchecked pausing 'gone&click=.bar%20button' 'done&click=[aria-label="More%20for%20this%20room"]&click=[role=menuitem]:last-of-type' 'running&click=[aria-label=Settings]&click=[aria-label="Edit%20claude_code"]' 'running&click=[aria-label=Settings]&click=[aria-label="Edit%20home"]' approval 'revised&seen=1' bare soft 'reported&click=.report%20.link' 'elsewhere&click=[aria-label^=Inbox]' checkin drift question long failed hostile huge many first-run first-run\&screen=2 first-run\&screen=3 'first-run-locked&screen=2&click=.option:nth-of-type(2)%20input' \
    'running&click=[aria-label=Settings]' 'running&click=[aria-label=Settings]&click=[id="tab-Limits"]' 'locked&click=[aria-label=Settings]&click=[aria-label="Edit%20openai"]' \
    'running&click=[aria-label=Settings]&click=[id="tab-MCP%20servers"]&click=.state%20summary' 'running&click=[aria-label=Settings]&click=[id="tab-Tools"]' 'stuck&click=[aria-label^=Inbox]' 'running&click=[aria-label=Settings]&click=[id="tab-Window"]' 'running&click=[aria-label=Settings]&click=[id="tab-Local%20API"]' \
    'locked&click=[aria-label=Settings]&click=[id="tab-About"]' 'running&click=[aria-label=Settings]&click=[id="tab-Goals%20and%20councils"]' \
    'checkin&click=[aria-label="More%20for%20this%20room"]&click=[role=menuitem]:nth-of-type(3)&click=dialog%20li%20button' \
    'checkin&click=[aria-label="More%20for%20this%20room"]&click=[role=menuitem]:nth-of-type(4)' 'running&click=[aria-label="More%20for%20this%20plan"]' \
    'running&click=[aria-label=Settings]&click=[id="tab-Agents"]' 'drift&click=[aria-label^=Inbox]' 'running&click=[aria-label="New%20room"]' \
    'approval&click=.bar%20button:nth-of-type(2)' 'running&click=[aria-label="Show%20details%20of%20step%201"]&click=.file%20.name&click=.call%20button'; do
    look "theme=$theme&state=$state"
  done
done
