/**
 * JSON ends up on screens too: what peers wrote is escaped in it, whatever the way there is (HD-19).
 */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../support/daemon.ts'
import { sendEnvelope, validEnvelope } from '../../support/envelopes.ts'
import { post } from '../../support/http.ts'
import { agentd, fullAgentd } from '../support.ts'

/** A sequence of C1, a turn of direction, a zero width, a tag, a delete: none is escaped by `JSON.stringify`. */
const NASTY = 'm\u009b31m\u202e\u200b\u{e0041}\u007f\u00adk'
const UNSEEN = /[^\P{C}\n]|[\u2028\u2029]/u

test('no command prints what a terminal obeys under --json or into a pipe, and no log holds it (HD-19)', async () => {
  await using daemon = await startTestDaemon()
  const { socket, env, dir } = daemon
  const wish = { instrument: 'cc', session_id: 's1', mailbox: true, title: NASTY, branch: NASTY }
  const { token } = (await post(socket, '/v1/sessions', wish)).body
  const sent = await agentd(env, ['advise', NASTY, '--file-ref', NASTY, '--json'])
  const envelope = validEnvelope({ id: `id${NASTY}`, corr: `c${NASTY}`, payload: { text: NASTY } })
  expect(await sendEnvelope(socket, envelope)).toMatchObject({ status: 200 })

  const outputs = [
    sent,
    await fullAgentd(env, ['advise', NASTY, '--json']),
    await agentd(env, ['roster', '--json']),
    await agentd(env, ['history', '--json']),
    await agentd({ ...env, AGENTD_TOKEN: token }, ['inbox', '--json']),
    await agentd(env, ['envelope', 'get', `id${NASTY}`]),
    await agentd(env, ['envelope', 'thread', `c${NASTY}`, '--json']),
    await agentd(env, ['receipts', NASTY, '--json']),
    await agentd(env, ['board', '--json']),
  ]

  for (const { stdout, stderr } of outputs) {
    expect(stdout + stderr).not.toBe('')
    expect(stdout + stderr).not.toMatch(UNSEEN)
  }
  const [advised, , , , , got] = outputs
  expect(JSON.parse(advised?.stdout ?? '')).toMatchObject({ frame: { payload: { advisory_text: NASTY } } })
  expect(JSON.parse(got?.stdout ?? '')).toEqual(envelope)
  await daemon.stop()
  const log = dir.file('state', 'envelopes.log')
  expect(existsSync(log)).toBe(true)
  expect(readFileSync(log, 'utf8')).not.toMatch(UNSEEN)
  expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ id: `id${NASTY}`, corr: `c${NASTY}` })
})
