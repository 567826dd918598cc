import { test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { readFileSync } from 'node:fs'
import { openStream, request } from '../support/http.ts'
import { listenFor, sendEnvelope, validEnvelope } from '../support/envelopes.ts'
const rss = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
test('explore service crash: trace', async () => {
  await using d = await startTestDaemon()
  const e = validEnvelope({ to: 'service.agentd', intent: 'aee.status.ping', payload: {}, trace: { x: 0 } })
  const text = JSON.stringify(e).replace('"x":0', `"x":[${'1e20,'.repeat(150_000)}1]`)
  const a = await sendEnvelope(d.socket, text)
  console.log('trace', a.status, a.body)
  await new Promise((r) => setTimeout(r, 1500))
  console.log(await Promise.race([d.exited, Promise.resolve('alive')]), d.stderr().slice(-600))
})
test('explore service crash: corr', async () => {
  await using d = await startTestDaemon()
  const e = validEnvelope({ to: 'service.agentd', intent: 'aee.status.ping', payload: {}, corr: 'c'.repeat(1_048_576 - 300) })
  const text = JSON.stringify(e)
  console.log(text.length)
  const a = await sendEnvelope(d.socket, text)
  console.log('corr', a.status)
  await new Promise((r) => setTimeout(r, 1500))
  console.log(await Promise.race([d.exited, Promise.resolve('alive')]), d.stderr().slice(-600))
})
test('explore service crash: fanout', async () => {
  await using d = await startTestDaemon({ config: { limits: { fan_out: 1 } } })
  using _a = await listenFor(d.socket, 'bus.x')
  using _b = await listenFor(d.socket, 'bus.x')
  const e = validEnvelope({ to: 'service.agentd', from: 'bus.x', intent: 'aee.status.ping', payload: {} })
  const a = await sendEnvelope(d.socket, e)
  console.log('fan', a.status)
  await new Promise((r) => setTimeout(r, 1500))
  console.log(await Promise.race([d.exited, Promise.resolve('alive')]), d.stderr().slice(-600))
})
test('explore memory', async () => {
  for (const field of ['from', 'id', 'corr', 'to']) {
    await using d = await startTestDaemon({ config: { ring: { max_bytes: 16_000_000 } } })
    await sendEnvelope(d.socket, validEnvelope())
    const before = rss(d.pid)
    for (let i = 0; i < 300; i++) {
      const r = await sendEnvelope(d.socket, validEnvelope({ [field]: field === 'to' ? `bus.${i}${'x'.repeat(1_000_000)}` : `${i}${'x'.repeat(1_000_000)}` }))
      if (r.status !== 200) { console.log(r.status, r.text.slice(0, 200)); break }
    }
    console.log(field, before, rss(d.pid))
  }
}, 60_000)
test('explore message', async () => {
  await using d = await startTestDaemon()
  const a = await sendEnvelope(d.socket, validEnvelope({ to: `agent.${'x'.repeat(900_000)}` }))
  console.log(a.status, a.text.length)
  // human stream
  using s = await listenFor(d.socket, 'human.adam')
  console.log('human stream', s.status)
  const r = await sendEnvelope(d.socket, validEnvelope({ to: 'human.adam' }))
  console.log(r.body)
})
test('explore exact size', async () => {
  await using d = await startTestDaemon()
  for (const pretty of [false, true]) for (const extra of [0, 1]) {
    const base = validEnvelope({ payload: { x: '' } })
    let text = JSON.stringify(base, undefined, pretty ? 1 : undefined)
    text = text.replace('"x":""', '"x":"y"').replace('"x": ""', '"x": "y"')
    text = text.replace('"y"', `"${'y'.repeat(1_048_576 - text.length + 1 + extra)}"`)
    const a = await sendEnvelope(d.socket, text)
    console.log(pretty, extra, text.length, a.status, a.text.slice(0, 150))
  }
  // exact with CRLF in ndjson
  const base = validEnvelope({ payload: { x: 'y' } })
  let text = JSON.stringify(base)
  text = text.replace('"y"', `"${'y'.repeat(1_048_576 - text.length + 1)}"`)
  const b = await request(d.socket, '/v1/envelopes', { method: 'POST', body: `${text}\r\n`, headers: { 'content-type': 'application/x-ndjson' } })
  console.log('crlf', text.length, b.status, b.text.slice(0, 200))
  const c = await request(d.socket, '/v1/envelopes', { method: 'POST', body: `${text}\n`, headers: { 'content-type': 'application/x-ndjson' } })
  console.log('lf', text.length, c.status, c.text.slice(0, 200))
})
