// Prints how fast the made-up window is: node dev/speed.mjs [graph]; needs chromium and `npm run build:dev`.

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'

const root = new URL('../node_modules/.cache/dev', import.meta.url).pathname
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' }
let told = () => {}

const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    let body = ''
    for await (const part of request) body += part
    response.end()
    return told(body)
  }
  const path = normalize(new URL(request.url, 'http://x').pathname)
  const bytes = await readFile(join(root, path)).catch(() => null)
  response.writeHead(bytes ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' })
  response.end(bytes)
})
await new Promise((done) => server.listen(5197, '127.0.0.1', done))

for (const query of ['state=few&measure=open', 'state=many&measure=open', 'state=few&measure=stream', 'state=many&measure=stream', 'state=goal&measure=graph', 'state=goal&measure=graph&click=input[value=graph]'].filter((one) => one.includes(process.argv[2] ?? ''))) {
  const profile = await mkdtemp(join(tmpdir(), 'measure-'))
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--window-size=1360,860', '--remote-debugging-port=0', `--user-data-dir=${profile}`]
  const browser = spawn('chromium', [...flags, `http://127.0.0.1:5197/index.html?${query}`], { stdio: 'ignore' })
  const result = await Promise.race([new Promise((done) => (told = done)), new Promise((done) => setTimeout(done, 60_000, `${query}: no answer`))])
  console.log(result)
  const gone = new Promise((done) => browser.once('exit', done))
  browser.kill()
  await gone
  await rm(profile, { recursive: true, force: true, maxRetries: 5 })
}
server.close()
