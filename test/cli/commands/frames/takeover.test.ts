/** `agentd takeover`: octets in, the same octets out, and one that has it (HO-01, HO-04, HO-05). */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/client/index.ts'
import { MAX_HANDOVER_OCTETS } from '../../../../src/core/limits.ts'
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { AGENTD, agentd, startOnTerminal } from '../../support.ts'
import { keepsFrames } from '../../../support/without-sqlite.ts'

/** Forty kilobytes of UTF-8 in letters of one to four octets. */
const LONG = 'aä€😀 zwölf Boxkämpfer\r\n'.repeat(1_500)

const BODIES: readonly (readonly [what: string, text: string])[] = [
  ['forty kilobytes of UTF-8', LONG.slice(0, 30_000)],
  ['trailing line ends', 'work\n\n\n'],
  ['no line end', 'work'],
  ['CRLF', 'one\r\ntwo\r\n'],
  ['NUL and controls', 'a\u0000b\u001b[31mc\u007f\n'],
  ['a mark of the order of octets', '\ufeffwork\n'],
  ['quotes and backslashes', '"\\\n\'$(rm -rf /)`\n'],
]

async function hand(daemon: TestDaemon, text: string): Promise<string> {
  const file = daemon.dir.file('in.md')
  writeFileSync(file, text)
  expect(await agentd(daemon.env, ['handover', '--file', file])).toMatchObject({ code: 0, stderr: '' })
  return file
}

test.each(BODIES)('%s come out as they went in, on stdout and in a file (HO-01)', async (_, text) => {
  await using daemon = await startTestDaemon()
  const [, file] = [await hand(daemon, text), daemon.dir.file('out.md')]

  const peeked = await agentd(daemon.env, ['takeover', '--latest', '--peek', '--to', file])
  const taken = await agentd(daemon.env, ['takeover', '--latest', '--quiet'])

  expect(peeked).toMatchObject({ code: 0, stdout: '' })
  expect(readFileSync(file)).toEqual(Buffer.from(text))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(taken).toEqual({ code: 0, stdout: text, stderr: '' })
})

test('where nothing is handed over it ends with 3, and with 5 where somebody else has it (HO-04)', async () => {
  await using daemon = await startTestDaemon()

  const none = await agentd(daemon.env, ['takeover', '--latest'])
  await hand(daemon, 'work\n')
  const first = await agentd(daemon.env, ['takeover', '--latest'])
  const second = await agentd(daemon.env, ['takeover', '--latest'])
  const [id = ''] = /(?<=takeover )[0-9a-f]{8}/.exec(second.stderr) ?? []
  const again = await agentd(daemon.env, ['takeover', id, '--peek', '--quiet'])

  expect(none).toMatchObject({ code: 3, stdout: '' })
  expect(first).toMatchObject({ code: 0, stdout: 'work\n' })
  expect(second).toMatchObject({ code: 5, stdout: '' })
  expect(second.stderr).toMatch(/^agentd: a shell of yours took [0-9a-f]{8} over (?:just now|\d+s ago)\.\n/)
  expect(again).toEqual({ code: 0, stdout: 'work\n', stderr: '' })
})

test('of several commands at once one prints it, and the others name a holder (HO-04)', async () => {
  await using daemon = await startTestDaemon()
  await hand(daemon, 'work\n')

  const all = await Promise.all(Array.from({ length: 6 }, () => agentd(daemon.env, ['takeover', '--latest'])))

  expect(all.map(({ code }) => String(code)).toSorted()).toEqual(['0', '5', '5', '5', '5', '5'])
  expect(all.map(({ stdout }) => stdout).toSorted()).toEqual(['', '', '', '', '', 'work\n'])
})

test('what an agent runs takes over as its session, whose name the others read (HO-04)', async () => {
  await using daemon = await startTestDaemon()
  await using client = await connect({ socket: daemon.socket })
  const session = await client.session({ instrument: 'cc-opus', sessionId: 's1', title: 'api refactor' })
  await hand(daemon, 'work\n')

  const first = await agentd({ ...daemon.env, AGENTD_TOKEN: session.token }, ['takeover', '--latest'])
  const again = await agentd(daemon.env, ['takeover', '--latest', '--token', session.token])
  const other = await agentd(daemon.env, ['takeover', '--latest'])

  expect([first.stdout, again.stdout]).toEqual(['work\n', 'work\n'])
  expect(other).toMatchObject({ code: 5 })
  expect(other.stderr).toContain('api-refactor (~alice/cc-opus@s1) took ')
})

test('without an id it takes what was written in this repository, and says how many there are elsewhere', async () => {
  await using daemon = await startTestDaemon()
  await using here = await createTempDir()
  await using there = await createTempDir()
  for (const { path } of [here, there]) execFileSync('git', ['init', '-q', path], { env: daemon.env })
  const client = await connect({ socket: daemon.socket })
  await client.handover('here\n', { pointerRefs: [here.path] })
  await client.handover('there\n', { pointerRefs: [there.file('src/a.ts')] })
  await client.close()
  const inside = (...args: readonly string[]) =>
    spawnSync(process.execPath, [AGENTD, 'takeover', ...args], {
      cwd: here.path,
      env: daemon.env,
      encoding: 'utf8',
    })

  expect(inside('--quiet')).toMatchObject({ status: 0, stdout: 'here\n' })
  expect(inside()).toMatchObject({ status: 5 })
  expect(inside('--latest', '--quiet')).toMatchObject({ status: 0, stdout: 'there\n' })
})

test('a file that is there, or cannot be written, is said before anything is claimed (HO-05)', async () => {
  await using daemon = await startTestDaemon()
  const file = await hand(daemon, 'work\n')

  const there = await agentd(daemon.env, ['takeover', '--latest', '--to', file])
  const nowhere = await agentd(daemon.env, ['takeover', '--latest', '--to', `${file}/out`])
  const missing = await agentd(daemon.env, ['takeover', '--latest', '--to', daemon.dir.file('no/out')])
  const both = await agentd(daemon.env, ['takeover', 'abcd1234', '--latest'])

  for (const refused of [there, nowhere, missing, both])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(there.stderr).toContain('is there already')
  expect(await agentd(daemon.env, ['takeover', '--latest'])).toMatchObject({ code: 0, stdout: 'work\n' })
})

test('a file for what somebody else has is not left behind (HO-05)', async () => {
  await using daemon = await startTestDaemon()
  await hand(daemon, 'work\n')
  const files = ['a', 'b', 'c', 'd'].map((name) => daemon.dir.file(name))

  const all = await Promise.all(
    files.map((file) => agentd(daemon.env, ['takeover', '--latest', '--to', file])),
  )

  expect(all.map(({ code }) => String(code)).toSorted()).toEqual(['0', '5', '5', '5'])
  const left = files.filter((file) => existsSync(file))
  expect(left.map((file) => readFileSync(file, 'utf8'))).toEqual(['work\n'])
  expect(all[files.indexOf(left[0] ?? '')]?.code).toBe(0)
})

test('with --json the text is a member, and the claim another', async () => {
  await using daemon = await startTestDaemon()
  await hand(daemon, 'work\n')

  const { stdout } = await agentd(daemon.env, ['takeover', '--latest', '--json'])

  expect(JSON.parse(stdout)).toMatchObject({
    state: 'taken',
    handover: { text: 'work\n', octets: 5, previous_session_id: 'shell', from: '~alice' },
    claim: { frame_id: expect.any(String) },
  })
})

test('on a terminal what would steer it is left out, and that is said (HD-18)', async () => {
  await using daemon = await startTestDaemon()
  await hand(daemon, 'one\u001b[2Jtwo')
  await using shown = startOnTerminal(daemon.env, ['takeover', '--latest'])

  await shown.untilSaid(/took over [0-9a-f]{8}/)
  await shown.ended

  expect(shown.stdout()).toContain('one[2Jtwo\r\n')
  expect(shown.stdout()).toContain('--to FILE has all of it')
})

test('where somebody has the newest, an older one that nobody has is named', async () => {
  await using daemon = await startTestDaemon()
  await hand(daemon, 'older\n')
  await hand(daemon, 'newer\n')
  await agentd(daemon.env, ['takeover', '--latest'])

  const { code, stderr } = await agentd(daemon.env, ['takeover', '--latest'])
  const [id = ''] = /(?<=An older one is nobody's yet: agentd takeover )[0-9a-f]{8}/.exec(stderr) ?? []

  expect(code).toBe(5)
  expect(await agentd(daemon.env, ['takeover', id, '--quiet'])).toMatchObject({ code: 0, stdout: 'older\n' })
})

test.runIf(keepsFrames())(
  'a mebibyte from a file is kept, said where, and comes out as it went in (HO-07)',
  async () => {
    await using daemon = await startTestDaemon()
    const text = 'aä€😀\r\n"\\'.repeat(70_000).slice(0, 600_000)
    const file = daemon.dir.file('in.md')
    writeFileSync(file, text)

    const sent = await agentd(daemon.env, ['handover', '--file', file])
    const taken = await agentd(daemon.env, ['takeover', '--latest', '--to', daemon.dir.file('out.md')])

    expect(sent.stdout).toMatch(
      /^sent agent_handover.*\nits \d+ octets are in .*\/handovers\/.*\.txt until it is forgotten\n$/,
    )
    expect(taken).toMatchObject({ code: 0 })
    expect(readFileSync(daemon.dir.file('out.md'), 'utf8')).toBe(text)
  },
)

test('a file over the limit, an empty one and one that is not there are said to be so (HO-07)', async () => {
  await using daemon = await startTestDaemon()
  const [large, empty] = [daemon.dir.file('large'), daemon.dir.file('empty')]
  writeFileSync(large, 'x'.repeat(MAX_HANDOVER_OCTETS + 1))
  writeFileSync(empty, '')

  const outcomes = [
    await agentd(daemon.env, ['handover', '--file', large]),
    await agentd(daemon.env, ['handover', '--file', daemon.dir.file('none')]),
    await agentd(daemon.env, ['handover', '--file', empty]),
  ]

  expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 1])
  expect(outcomes[0]?.stderr).toContain(`holds more than ${MAX_HANDOVER_OCTETS} octets`)
  expect(outcomes[1]?.stderr).toContain('cannot be read')
  expect(outcomes[2]?.stderr).toContain('field-invalid')
})
