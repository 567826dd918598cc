/** What other machines announce: shown where repository and path agree, and never in the way of an edit (FED-67). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callVerb } from '../../../src/broker/verb-call.ts'
import { VERBS } from '../../../src/protocol/verb/verbs.ts'
import { createCheckout } from '../../runtimes/support/sessions.ts'
import { arrivingFrame, batchOf } from '../../support/arrivals.ts'
import { FilledRemote, remoteNode, remoteSession } from '../../support/other-nodes.ts'
import { openDesk } from '../desk-in-process.ts'

const FAR = '~alice/cc@far'

/** A session in a repository whose hooks deny, and a node that announces work on a file by this machine's very path. */
async function meet(repositoryId: string) {
  const checkout = await createCheckout()
  const config = join(checkout.main, '.git', 'config')
  writeFileSync(config, '[remote "origin"]\n\turl = git@example.org:alice/api.git\n', { flag: 'a' })
  const remote = new FilledRemote(remoteNode('devbox', [remoteSession(FAR, { repositoryId })]))
  const desk = await openDesk({ remote, settings: { conflict: 'deny' } })
  mkdirSync(join(checkout.main, 'src'), { recursive: true })
  const id = 'here-1'
  await desk.event('claude-code', 'session-start', { session_id: id, cwd: checkout.main })
  const payload = { advisory_text: 'at it', file_refs: ['src/a.ts'], worktree: checkout.main }
  const created_at = new Date().toISOString()
  await desk.broker.ingest(batchOf([arrivingFrame('far1-1', { frame: { created_at, payload } })]))
  return {
    desk,
    edit: () =>
      desk.event('claude-code', 'before-tool', {
        session_id: id,
        cwd: checkout.main,
        tool_name: 'Edit',
        tool_input: { file_path: join(checkout.main, 'src/a.ts') },
      }),
    /** The same word from a session of this machine. */
    async announceHere() {
      const { session } = desk.broker.sessions.open(
        { instrument: 'codex', session_id: 'near', worktree: checkout.main, mailbox: true },
        undefined,
        undefined,
      )
      const caller = { principal: '~alice', session }
      const { advisory_text: text, ...rest } = payload
      await callVerb({ broker: desk.broker, caller, clock: desk.clock }, VERBS.agent_advise, {
        text,
        ...rest,
      })
    },
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]()
      await checkout[Symbol.asyncDispose]()
    },
  }
}

test('work announced on another machine is shown where repository and path agree, and denies no edit however equal the paths (FED-67)', async () => {
  await using place = await meet('git:example.org/alice/api')

  await using rival = await meet('git:example.org/alice/api')
  await rival.announceHere()

  const shown = await place.edit()
  const denied = await rival.edit()

  expect(shown).not.toContain('"deny"')
  expect(shown).toContain('in this repository on another machine')
  expect(shown).toContain('devbox')
  expect(denied).toContain('"deny"')
})

test('of another repository nothing is shown, though the path is the same (FED-67)', async () => {
  await using place = await meet('git:example.org/alice/other')

  expect(await place.edit()).toBe('')
})

test('a session in a repository registers what that is called on every machine (FED-68)', async () => {
  await using place = await meet('git:example.org/alice/api')

  const [session] = place.desk.broker.sessions.present()

  expect(session?.facts.repositoryId).toBe('git:example.org/alice/api')
})

test('a welcome names the machine of a lease, and says of its holder that it has left (FED-66)', async () => {
  const remote = new FilledRemote(remoteNode('devbox', [remoteSession(FAR)]))
  await using desk = await openDesk({ remote })
  const payload = {
    resource: 'src/a.ts',
    lease_id: '0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a',
    ttl_ms: 600_000,
    intent: 'rename',
  }
  const created_at = new Date().toISOString()
  const lease = arrivingFrame('far1-1', { kind: 'agent_lock_request', frame: { created_at, payload } })
  await desk.broker.ingest(batchOf([lease]))

  const there = await desk.event('claude-code', 'session-start', { session_id: 's1' })
  remote.become(remoteNode('devbox', []))
  const gone = await desk.event('claude-code', 'session-start', { session_id: 's2' })

  const held = `held by \\"${FAR}\\" on the machine \\"devbox\\"`
  expect(there).toContain(`${held} for`)
  expect(gone).toContain(`${held}, which has left, for`)
})
