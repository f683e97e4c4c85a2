// What the made-up window remembers from before; set before anything reads it.

const asked = new URLSearchParams(location.search)
localStorage.clear()
localStorage.setItem('plancard.theme', JSON.stringify(asked.get('theme') ?? 'light'))
localStorage.setItem('plancard.room', '"room"')
// The revision that was seen last: ?seen=1
if (asked.has('seen')) localStorage.setItem('plancard.painted', JSON.stringify([['plan', { last: Number(asked.get('seen')), before: null }]]))
// Messages that wait until the agent is done: ?queued=one&queued=two
if (asked.has('queued')) {
  localStorage.setItem('plancard.queue', JSON.stringify({ room: asked.getAll('queued').map((text, i) => ({ id: i + 1, text, linked: false })) }))
  sessionStorage.setItem('plancard.queue', 'seen')
}
