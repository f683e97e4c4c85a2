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
  for state in empty running approval revised checkin drift question long failed hostile many first-run first-run\&screen=2 first-run\&screen=3 \
    'running&click=[aria-label=Settings]' 'running&click=[aria-label=Settings]&click=[id="tab-Limits"]' 'running&click=[aria-label=Settings]&click=[id="tab-As%20text"]' \
    'running&click=[aria-label=Settings]&click=[id="tab-Agents"]' 'drift&click=[aria-label^=Inbox]' 'running&click=[aria-label="New%20room"]' \
    'approval&click=.bar%20button:nth-of-type(2)' 'running&click=[aria-label="Show%20details%20of%20step%201"]&click=.file%20.name&click=.call%20button'; do
    look "theme=$theme&state=$state"
  done
done
