/**
 * The seat in a real terminal, on a real daemon: each flow is ended by the other side's own evidence.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { composeApprovalRequest } from '../../../../src/aee/intents/approval.ts'
import { connect } from '../../../../src/client/index.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { validPayload } from '../../../support/frames.ts'
import { hasProgram } from '../../../support/needs.ts'
import { quit, restored, stage, type Scene } from '../../../support/top-scene.ts'
import { agentd, startAgentd, startOnTerminal, words } from '../../support.ts'

/** A terminal and two programs start; a busy machine takes its time. */
const PATIENCE_MS = 60_000

function signal({ daemon }: Scene, name: NodeJS.Signals): void {
  process.kill(Number(readFileSync(daemon.dir.file('pid'), 'utf8')), name)
}

/** A task, and the question whether it may be done. */
async function askApproval({ client, agent }: Scene): Promise<void> {
  const draft = { type: 'task', from: 'agent.boss', to: 'agent.worker', intent: 'ops.db.drop' } as const
  const sent = await client.sendEnvelope({ ...draft, payload: { table: 'users' } })
  const { envelope, text } = await client.envelope(sent.id)
  const payload = composeApprovalRequest({ envelope, text }, 'Drop the table?')
  await agent.sendEnvelope({
    type: 'task',
    from: 'agent.worker',
    to: 'human.alice',
    intent: 'approval.request',
    payload,
  })
  await agent.inbox.drain()
}

describe.runIf(hasProgram('tmux'))('in a terminal', { timeout: PATIENCE_MS }, () => {
  test('a question is answered, its asker ends with the answer, and somebody sat there just so long (SEAT-02, SEAT-21)', async () => {
    await using scene = await stage()
    const { daemon, pane } = scene
    await using asker = startAgentd(daemon.env, ['ask', 'May I force-push?', '--scope', '~alice/human*'])
    await pane.untilShown(/question +\S+ +May I force-push\?/)
    await pane.untilTitled('(1) agentd')
    pane.press('j', 'a')
    await pane.untilShown(/Answer ─/)
    pane.type('Yes, with care')
    await pane.untilShown(/> Yes, with care/)
    pane.press('Enter')
    const { code, stdout } = await asker.ended

    expect([code, stdout]).toEqual([0, expect.stringContaining('Yes, with care')])
    await pane.untilShown(/Nothing needs you/)
    await pane.untilTitled('agentd')
    await quit(scene)
    const late = await agentd(daemon.env, ['ask', 'Still there?', '--scope', '~alice/human*'])
    expect(late.code).toBe(3)
  })

  test('what the command line forgets goes from what is shown, and the rest stays (SEAT-23, W-8)', async () => {
    await using scene = await stage()
    const { daemon, agent, pane } = scene
    await agent.advise('a word for nobody')
    await agent.sendEnvelope({
      type: 'event',
      from: 'agent.worker',
      to: 'bus.ops',
      intent: 'ops.x',
      payload: {},
    })
    await agent.broadcast('Who is at the schema?')
    await pane.untilShown(/PASSING[^]*advisory +a word for nobody[^]*ops\.x[^]*Who is at the schema\?/)

    const byKind = await agentd(daemon.env, words('history --forget --yes --kind agent_advisory'))
    await pane.untilGone(/advisory +a word for nobody/)
    const screen = pane.screen()

    expect(byKind.code).toBe(0)
    expect(screen).toMatch(/ops\.x[^]*Who is at the schema\?/)
    await quit(scene)
  })

  test('an option is sent with the second key, as one answer to the asker (W-9, SEAT-30)', async () => {
    await using scene = await stage({ columns: 60, rows: 15 })
    const { agent, pane } = scene
    const payload = validPayload('agent_binding_moment')
    await agent.send({ kind: 'agent_binding_moment', payload, scope: '~alice/human*' })
    await pane.untilShown(/NEEDS YOU[^\n]*\n +\S/)
    await pane.untilGone(/Nothing needs you/)
    pane.press('j', '2')
    await pane.untilShown(/Press Enter to choose 2/)
    pane.press('Enter')
    await pane.untilShown(/Sent to 1 session/)

    const [answer, ...more] = await scene.told()
    expect(answer).toMatchObject({
      kind: 'agent_response',
      payload: { response_text: expect.stringMatching(/^option: /) },
      provenance_basis: 'person',
      drafted_with: '~human',
    })
    expect(more).toEqual([])
    await quit(scene)
  })

  test.each([
    ['y', true],
    ['n', false],
  ])(
    '%s decides about a task, and it is said that nothing is signed (SEAT-05, SEAT-11)',
    async (key, approved) => {
      await using scene = await stage({ columns: 100, rows: 30 })
      await askApproval(scene)
      const { pane } = scene
      await pane.untilShown(/approval +/)
      pane.press('j', key)
      await pane.untilShown(/Your answer will not be signed/)
      await pane.untilShown(/sha-256:[0-9a-f]{64}/)
      pane.press('Enter')
      await pane.untilShown(/It is not signed/)

      expect(await scene.told()).toEqual([
        expect.objectContaining({
          type: 'result',
          from: 'human.alice',
          payload: expect.objectContaining({ approved }),
        }),
      ])
      await quit(scene)
    },
  )

  test('a thread is listed, opened as a tree, and followed as it grows (SEAT-25, SEAT-38)', async () => {
    await using scene = await stage({ columns: 100, rows: 30 })
    const { agent, client, pane } = scene
    const service = agent.serve('agent.worker', { 'ops.door.open': () => ({ done: true }) })
    await service.opened
    const ask = async (door: number): Promise<void> => {
      const task = { from: 'agent.boss', to: 'agent.worker', intent: 'ops.door.open', corr: 'doors-0001' }
      await client.request({ ...task, payload: { door } }).terminal
    }
    await ask(1)
    pane.press('g', 't')
    await pane.untilShown(/○ doors-0001 {2}ops\.door\.open .*2 envelopes/)
    pane.press('Enter')
    await pane.untilShown(/└ agent\.worker → agent\.boss {2}result ops\.door\.open/)
    await ask(2)
    await pane.untilShown(/4 envelopes, /)
    pane.press('Escape')
    await pane.untilShown(/THREADS ─/)
    await quit(scene)
  })

  test('an approval is signed where there is a key (SEAT-05)', async () => {
    await using scene = await stage({ columns: 100, rows: 30 })
    const { daemon, pane } = scene
    expect(await agentd(daemon.env, ['keys', 'new', 'human.alice'])).toMatchObject({ code: 0 })
    await askApproval(scene)
    await pane.untilShown(/approval +/)
    pane.press('j', 'y')
    await pane.untilShown(/Your answer will be signed/)
    pane.press('Enter')
    await pane.untilShown(/It is signed/)

    const [answer] = await scene.told()
    expect(answer).toMatchObject({ payload: { approved: true }, sig: { alg: expect.any(String) } })
  })

  test('what is sent says whom it reaches, and that a person said it; a text may come from an editor (SEAT-05, SEAT-23)', async () => {
    await using scene = await stage()
    const { pane, client } = scene
    pane.press('s')
    await pane.untilShown(/To ─/)
    pane.type('*')
    await pane.untilShown(/reaches 1 session/)
    pane.press('Enter')
    await pane.untilShown(/What they are to know/)
    pane.press('C-g')
    await pane.untilShown(/> from the editor/)
    pane.press('M-Enter')
    pane.type('and a second line')
    await pane.untilShown(/and a second line/)
    pane.press('Enter')
    await pane.untilShown(/Sent to 1 agent and you/)

    expect(await scene.told()).toEqual([
      expect.objectContaining({
        kind: 'agent_advisory',
        payload: { advisory_text: 'from the editor\nand a second line' },
        provenance_basis: 'person',
      }),
    ])
    expect((await client.roster()).map(({ tool }) => tool)).toContain('human')
    await quit(scene)
    expect((await client.roster()).map(({ tool }) => tool)).not.toContain('human')
  })

  test('at every size there is the whole screen, and below the least it says so (SEAT-39)', async () => {
    await using scene = await stage()
    const { pane } = scene
    for (const [columns, rows] of [
      [60, 15],
      [40, 10],
      [120, 40],
      [80, 24],
    ] as const) {
      pane.resize(columns, rows)
      await pane.untilShown(new RegExp(`^ agentd.*live(?:.*\\n){${rows - 1}} .*q quit`))
      expect(
        pane
          .screen()
          .trimEnd()
          .split('\n')
          .every((line) => line.length <= columns),
      ).toBe(true)
    }
    pane.resize(30, 8)
    await pane.untilShown(/needs\s+40×10/)
    pane.resize(80, 24)
    await pane.untilShown(/NEEDS YOU/)
    await quit(scene)
  })

  test('Ctrl+Z gives the terminal to the shell, and fg goes on (SEAT-38)', async () => {
    await using scene = await stage()
    const { pane } = scene
    pane.press('C-z')
    await pane.untilShown(/Stopped/)
    expect(pane.isAlternate()).toBe(false)
    pane.type('fg')
    pane.press('Enter')
    await pane.untilShown(/NEEDS YOU[^]*live|live[^]*NEEDS YOU/)
    expect(pane.isAlternate()).toBe(true)
    pane.press('?')
    await pane.untilShown(/KEYS/)
    pane.press('Escape')
    await pane.untilShown(/NEEDS YOU/)
    pane.press('C-c')
    await pane.untilGone(/NEEDS YOU/)
    expect(pane.isAlternate()).toBe(false)
  })

  test.each([
    ['SIGTERM', 0],
    ['SIGHUP', 129],
    ['SIGUSR2', 70],
  ] as const)('%s, or a defect, leaves the terminal as it was (SEAT-38)', async (name, code) => {
    await using scene = await stage()
    signal(scene, name)
    await restored(scene, code)
    if (code === 70) expect(scene.pane.screen()).toContain('This is a defect of agentd')
  })

  test('a daemon that goes is told, what is known stays, and it goes on with the next one (SEAT-19)', async () => {
    await using scene = await stage()
    const { daemon, pane } = scene
    await pane.untilShown(/api-refactor/)
    await daemon.stop('SIGKILL')
    await pane.untilShown(/The daemon is gone/)
    expect(pane.screen()).toContain('api-refactor')
    await using next = await startTestDaemon({ dir: daemon.dir })
    await pane.untilShown(/● live/)
    await pane.untilGone(/The daemon is gone/)
    expect(next.pid).not.toBe(daemon.pid)
    await quit(scene)
  })
})

/** What a terminal obeys, or would be misled by. */
const OBEYED = 'seen\u001b]52;c;cm0gLXJm\u0007\u001b[2J\u009b31m\u202e\u200b\u2028'

test.runIf(hasProgram('script'))(
  'no control of a sender is written to the terminal (R-38, SEAT-40)',
  async () => {
    await using daemon = await startTestDaemon()
    await using client = await connect({ socket: daemon.socket })
    const agent = await client.session({ instrument: 'cc', sessionId: 's1', title: OBEYED, branch: OBEYED })
    await agent.advise(OBEYED, { fileRefs: [OBEYED] })
    await agent.send({ kind: 'agent_query', payload: { ...validPayload('agent_query'), query_text: OBEYED } })
    await using top = startOnTerminal(daemon.env, ['top'])
    await top.untilSaid(/seen[^]*PASSING[^]*seen/)
    top.type('\r')
    await top.untilSaid(/Question from/)
    top.type('q')
    const { stdout } = await top.ended

    expect(stdout).toContain('‹U+001B›')
    for (const control of ['\u001b]52', '\u009b', '\u202e', '\u200b', '\u2028'])
      expect(stdout).not.toContain(control)
  },
)

test('without a terminal, one screen is printed, nobody sits there, and it ends (SEAT-06, SEAT-39)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  await client.session({ instrument: 'cc', sessionId: 's1', title: 'api refactor' })
  const [once, piped] = [await agentd(daemon.env, ['top', '--once']), await agentd(daemon.env, ['top'])]

  expect(once).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^ agentd {2}~alice {3}1 here +● live\n/),
    stderr: '',
  })
  expect(once.stdout).toContain('api-refactor')
  expect(piped).toEqual(once)
  expect(once.stdout.split('\n').every((line) => line.length <= 80)).toBe(true)
})

const WHY =
  'One screen as text, since NO_COLOR is set; the whole seat without colours is "agentd top --no-color".'

test.each([
  ['dumb', { TERM: 'dumb' }, ['top'], ''],
  ['dumb, whatever colours it is to have', { TERM: 'dumb', NO_COLOR: '1' }, ['top', '--no-color'], ''],
  ['asked for no colour', { NO_COLOR: '1' }, ['top'], WHY],
  ['asked for no colour and one screen', { NO_COLOR: '1' }, ['top', '--once'], ''],
])('a terminal that is %s gets one screen as text, and is told why (SEAT-39)', async (_, env, args, why) => {
  await using daemon = await startTestDaemon()
  await using top = startOnTerminal({ ...daemon.env, ...env }, args)
  const { code, stdout } = await top.ended

  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ agentd {2}~alice/)])
  expect(stdout).not.toContain('\u001b')
  expect(stdout.replaceAll('\r\n', '\n').split('\n').includes(why)).toBe(true)
  expect(stdout.includes('NO_COLOR')).toBe(why !== '')
})

test.each([
  ['where colours are unwanted already', { NO_COLOR: '1' }],
  ['by itself', {}],
])('--no-color is the whole screen without a colour, %s (SEAT-39)', async (_, env) => {
  await using daemon = await startTestDaemon()
  await using plain = startOnTerminal({ ...daemon.env, ...env }, ['top', '--no-color'])
  await plain.untilSaid(/q quit/)
  plain.type('q')

  const { code, stdout } = await plain.ended
  expect(code).toBe(0)
  // Every graphic rendition ends in `m`; of all that is written otherwise nothing with that beginning does.
  expect(stdout.split('\u001b[').filter((piece) => /^[\d;]*m/.test(piece))).toEqual([])
})

test('--json and a word too many are wrong usage', async () => {
  await using daemon = await startTestDaemon()

  expect(await agentd(daemon.env, ['top', '--json'])).toMatchObject({ code: 2, stdout: '' })
  expect(await agentd(daemon.env, ['top', 'x'])).toMatchObject({ code: 2 })
})
