/**
 * Whatever a frame carries, no command prints a control character of it.
 */
import { beforeAll, afterAll, describe, expect, test } from 'vitest'
import { connect, type AgentdClient } from '../../../src/client/index.ts'
import { parseFrame } from '../../../src/protocol/frame/frame.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { validFrame } from '../../support/frames.ts'
import { post } from '../../support/http.ts'
import { agentd, startAgentd, startOnTerminal } from '../support.ts'
import { hasProgram } from '../../support/needs.ts'

const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code > 0x7e)

/** Clipboard writes, hyperlinks, title reports, bidirectional overrides, zero width, tags, separators. */
const SEQUENCES =
  '\u001b]52;c;cm0gLXJm\u0007\u001b]8;;http://evil/\u001b\\\u001b[21t\u001b[2J\u009b31m' +
  '\u202e\u202d\u2066\u2069\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u2028\u2029\u{e0041}\u{e007f}\ufe0f'

const LINE_BREAKS = /[\r\n]/g

/** For the fields that hold little. */
const SHORT = '\u0000\u001b]52;c;x\u0007\u001b[2J\u009b31m\u202e\u200b\ufeff\u2028seen'

const NASTY = `${String.fromCharCode(...CONTROLS)}${SEQUENCES}seen`

/** Everything that must never reach a terminal; line feeds may, where a command writes its own. */
const RAW = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/u

let daemon: TestDaemon
let client: AgentdClient
let token: string
let frameId: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  client = await connect({ socket: daemon.socket })
  const session = await client.session({
    instrument: 'cc-opus',
    sessionId: 's1',
    mailbox: true,
    title: NASTY,
    branch: NASTY,
    cwd: `/home/${NASTY}`,
    worktree: NASTY,
    repository: NASTY,
  })
  token = session.token
  for (const kind of KIND_NAMES) {
    const frame = poison({ ...validFrame(kind) })
    const { status, text } = await post(daemon.socket, '/v1/frames', { frame })
    if (status !== 200) throw new Error(`the daemon refused the poisoned ${kind}: ${text}`)
    frameId = String(frame['frame_id'])
  }
})

afterAll(async () => {
  await client.close()
  await daemon[Symbol.asyncDispose]()
})

/** The frame with every string replaced that may hold anything, on one line where it must. */
function poison(frame: Record<string, unknown>): Record<string, unknown> {
  let poisoned = structuredClone(frame)
  for (const path of stringPaths(poisoned, [])) {
    for (const text of [NASTY, NASTY.replaceAll(LINE_BREAKS, ''), SHORT]) {
      const candidate = structuredClone(poisoned)
      setAt(candidate, path, text)
      if (isValid(candidate)) {
        poisoned = candidate
        break
      }
    }
  }
  return poisoned
}

function stringPaths(value: unknown, path: readonly (string | number)[]): (readonly (string | number)[])[] {
  if (typeof value === 'string') return [path]
  if (Array.isArray(value)) return value.flatMap((item, i) => stringPaths(item, [...path, i]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => stringPaths(member, [...path, name]))
}

function setAt(value: object, path: readonly (string | number)[], text: string): void {
  let holder: unknown = value
  for (const step of path.slice(0, -1))
    holder = holder instanceof Object ? Reflect.get(holder, step) : undefined
  if (holder instanceof Object) Reflect.set(holder, path.at(-1) ?? '', text)
}

function isValid(frame: object): boolean {
  try {
    parseFrame(frame)
    return true
  } catch {
    return false
  }
}

test('what is sent is poisoned indeed', async () => {
  const { stdout } = await agentd(daemon.env, ['history', '--json'])

  const frames = JSON.parse(stdout).items.map(({ frame }: { frame: object }) => JSON.stringify(frame))
  expect(frames).toHaveLength(15)
  for (const frame of frames) expect(frame).toContain('seen')
  expect(stdout.split('\\u001b]52;').length).toBeGreaterThan(30)
})

describe.each([
  ['history', () => ['history']],
  ['history --full', () => ['history', '--full']],
  ['roster', () => ['roster']],
  ['board', () => ['board']],
  ['receipts', () => ['receipts', frameId]],
  ['inbox', () => ['inbox', '--peek', '--max-items', '100', '--max-bytes', '100000', '--token', token]],
  ['inbox --text', () => ['inbox', '--peek', '--text', '--max-bytes', '100000', '--token', token]],
])('%s', (_, args) => {
  test('prints no raw control to a pipe', async () => {
    const { code, stdout, stderr } = await agentd(daemon.env, args())

    expect(code).toBe(0)
    expect(stdout).not.toBe('')
    expect(stdout + stderr).not.toMatch(RAW)
  })

  test.runIf(hasProgram('script'))('prints no raw control to a terminal', async () => {
    // Nobody is there to leave a pager (pager.test.ts has one).
    await using running = startOnTerminal({ ...daemon.env, NO_COLOR: '1', AGENTD_PAGER: 'cat' }, args())

    const { stdout } = await running.ended

    expect(stdout).not.toBe('')
    expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(RAW)
  })
})

test.each([[[]], [['--full']]])('tail %j prints no raw control to a pipe', async (options) => {
  await using tail = startAgentd(daemon.env, ['tail', '--replay', '100', ...options])

  await tail.untilSaid(/flush executed[^\n]*\n/)
  tail.signal('SIGINT')

  expect((await tail.ended).stdout).not.toMatch(RAW)
})

test.runIf(hasProgram('script')).each([[[]], [['--full']]])(
  'tail %j prints no raw control to a terminal, and in colour only colours',
  async (options) => {
    await using plain = startOnTerminal({ ...daemon.env, NO_COLOR: '1' }, [
      'tail',
      '--replay',
      '100',
      ...options,
    ])
    await plain.untilSaid(/flush executed[^\n]*\n/)
    plain.type('\u0003')
    await using coloured = startOnTerminal(daemon.env, ['tail', '--replay', '100', ...options])
    await coloured.untilSaid(/flush executed[^\n]*\n/)
    coloured.type('\u0003')

    const lines = (await plain.ended).stdout.replaceAll('\r\n', '\n').replaceAll('^C', '')
    const painted = (await coloured.ended).stdout.replaceAll('\r\n', '\n').replaceAll('^C', '')
    expect(lines).not.toMatch(RAW)
    // oxlint-disable-next-line no-control-regex -- escape sequences are what it is about
    expect(painted.replaceAll(/\u001b\[(?:1|2|22|3\d)m/g, '')).not.toMatch(RAW)
  },
)

test('an answer prints no raw control, nor does a refusal', async () => {
  const session = await client.session({ instrument: 'gpt', sessionId: 's9' })
  const stream = session.stream({ filter: 'kind:agent_query' })
  await stream.opened
  const asking = agentd(daemon.env, ['ask', 'why?', '--scope', session.address])
  for await (const item of stream) {
    if (item.type !== 'frame' || item.frame.kind !== 'agent_query') continue
    await session.respond(item.frame, NASTY)
    break
  }
  await session.close()

  const asked = await asking
  const refused = await agentd(daemon.env, ['advise', 'x', '--scope', `~bob/${NASTY.replaceAll('\0', '')}`])
  const unknown = await agentd(daemon.env, [`\u001b]52;c;x\u0007`])

  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('seen') })
  expect(refused.code).toBe(1)
  expect(unknown.code).toBe(2)
  for (const { stdout, stderr } of [asked, refused, unknown]) expect(stdout + stderr).not.toMatch(RAW)
})
