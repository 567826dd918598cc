/** Approvals in a terminal, signed and unsigned: what a worker does about them, and what is left to show (SEAT-05, SEAT-11). */
import { expect, test } from 'vitest'
import {
  connect,
  type AgentdClient,
  type ApproveOptions,
  type Envelope,
} from '../../../../src/client/index.ts'
import { verifyEnvelope } from '../../../../src/client/aee.ts'
import {
  answerIn,
  hireWorker,
  makeKey,
  type HiredWorker,
  type PersonKey,
} from '../../../support/approvals.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { agentd, words, type Outcome } from '../../support.ts'

interface Scene extends AsyncDisposable {
  readonly client: AgentdClient
  readonly run: (line: string) => Promise<Outcome>
  readonly hire: (options?: Partial<ApproveOptions>) => Promise<HiredWorker>
  /** Makes a key for the person. @returns its id, and what another program may trust */
  readonly makeKey: () => Promise<PersonKey>
  /** The id of the one thing that needs the person, as soon as there is one. */
  readonly asked: () => Promise<string>
  /** What the person has answered in a workflow. */
  readonly answerIn: (corr: string) => Promise<Envelope>
}

async function stage(): Promise<Scene> {
  const daemon = await startTestDaemon()
  const client = await connect({ socket: daemon.socket })
  const run: Scene['run'] = (line) => agentd(daemon.env, words(line))
  const watch = client.watch()
  await watch.opened
  const items = watch[Symbol.asyncIterator]()
  return {
    client,
    run,
    hire: (options) => hireWorker(client, options),
    makeKey: () => makeKey(run),
    async asked() {
      for (;;) {
        const { value: item, done } = await items.next()
        if (done === true) throw new Error('the watch has ended')
        if (item.type === 'need' && item.change === 'opened') return item.need.needId
      }
    },
    answerIn: (corr) => answerIn(client, corr),
    async [Symbol.asyncDispose]() {
      await client.close()
      await daemon[Symbol.asyncDispose]()
    },
  }
}

test('with a key the worker opens exactly the approved door, and both answers prove who gave them (SEAT-05, SEAT-11)', async () => {
  await using scene = await stage()
  const { kid, keys } = await scene.makeKey()
  const worker = await scene.hire({ keys })

  const first = worker.give(7)
  const approved = await scene.run(`approve ${await scene.asked()} --yes`)
  expect((await first.end).type).toBe('result')
  const second = worker.give(8)
  const rejected = await scene.run(`reject ${await scene.asked()} --yes`)

  expect((await second.end).payload).toMatchObject({ code: 'E_REJECTED' })
  expect(worker.opened).toEqual([7])
  for (const [said, { stdout, stderr }] of [
    ['approved', approved],
    ['rejected', rejected],
  ] as const) {
    expect(stderr).toContain(`Your answer: signed with ${kid}.`)
    expect(stdout).toContain(`${said} (signed with ${kid})`)
  }
  for (const { corr } of [first, second]) {
    const answer = await scene.answerIn(corr)
    expect(verifyEnvelope(answer, { keys, nowMs: Date.now() })).toBe('verified')
    const { stdout } = await scene.run(`envelope thread ${corr}`)
    expect(stdout).toMatch(/task approval\.request .*human\.alice/)
    expect(stdout).toMatch(/result approval\.request .*human\.alice/)
  }
})

test('without a key the answer is told as not signed, and who asked for no signature acts on it (SEAT-05)', async () => {
  await using scene = await stage()
  const worker = await scene.hire()

  const { corr, end } = worker.give(7)
  const approved = await scene.run(`approve ${await scene.asked()} --yes`)

  expect((await end).type).toBe('result')
  expect(approved.stderr).toContain('Your answer: not signed.')
  expect(approved.stdout).toContain('approved (not signed)')
  const answer = await scene.answerIn(corr)
  expect(verifyEnvelope(answer, { keys: { find: () => undefined }, nowMs: Date.now() })).toBe('unsigned')
})

test('a revoked key signs nothing: the answer is told as not signed, and a worker that wants a signature opens nothing (SEAT-05, SEAT-11)', async () => {
  await using scene = await stage()
  const { kid, keys } = await scene.makeKey()
  await scene.run(`keys revoke ${kid} --yes`)
  const worker = await scene.hire({ keys })

  const { end } = worker.give(7)
  const needId = await scene.asked()
  const byName = await scene.run(`approve ${needId} --yes --sign ${kid}`)
  const approved = await scene.run(`approve ${needId} --yes`)

  expect(byName).toMatchObject({ code: 2, stderr: expect.stringContaining('is revoked') })
  expect(approved.stdout).toContain('approved (not signed)')
  expect((await end).payload).toMatchObject({ code: 'E_REJECTED', message: 'The answer is not signed.' })
  expect(worker.opened).toEqual([])
})
