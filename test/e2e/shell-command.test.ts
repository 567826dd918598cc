/**
 * `bin/agentd` sends plain commands itself and leaves the rest to Node, and nobody can tell which of them it was: the same
 * transcripts by both ways (OP-14).
 */
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Outcome } from '../cli/support.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { post, request } from '../support/http.ts'
import { hasProgram } from '../support/needs.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { MAX_BODY_OCTETS } from '../../src/core/limits.ts'
import { makePaths, run, type Call, type Paths } from './both-ways.ts'

/** What is typed, and what stands on stdin. */
type Line = readonly [args: readonly string[], stdin: string | Buffer]

function lines(
  written: readonly (readonly [args: readonly string[], stdin?: string | Buffer])[],
): readonly Line[] {
  return written.map(([args, stdin = '']) => [args, stdin])
}

const hasCurl = hasProgram('curl')
const SHELLS = ['/bin/sh', '/bin/bash', '/bin/ksh', '/bin/dash'].filter(
  (shell, index, all) => existsSync(shell) && all.slice(0, index).every((one) => !isSame(one, shell)),
)

function isSame(one: string, other: string): boolean {
  return existsSync(one) && realpathSync(one) === realpathSync(other)
}

/** Everything a shell, `curl` or a form could read something into. */
const ODD = `it's "q" $HOME \`id\` \\n %s %00 & = + ; < @/etc/passwd * ? [a-z] {b,c} ~ # é 🦀 \u2028\ttab`

/** A diagnosis that tells more than it should; what is blacked out of it is told, whichever way it goes (AC-186). */
const DIAGNOSIS = JSON.stringify({
  symptom: `push with ghp_${'a1B2'.repeat(9)} fails`,
  severity: 'info',
  diagnostic_id: '8f14e45f-ceea-467f-a1d6-91d1b9c9d0aa',
})

const RETURN = '{ "return_event_ref" : "run/41",\n "summary":"gr\\u00fcn \\ud83e\\udd80" }\n'

/** What the script sends without Node. */
const PLAIN: readonly Line[] = lines([
  [['advise', 'editing src/auth.ts']],
  [['advise', 'editing src/auth.ts', '--quiet']],
  [['advise', '--file-ref', 'src/a.ts', 'between', '--file-ref=src/b=c.ts']],
  [['advise', ODD, '--file-ref', ODD.slice(0, 40), '--file-ref', '@/etc/passwd']],
  [['advise', '@/etc/passwd']],
  [['advise', '=x']],
  [['advise', '\n\n two lines\n and an end\n\n']],
  [['advise', '-'], 'from stdin\n\n'],
  [['advise', '-', '--scope', '~alice/cc-*'], ODD],
  [['broadcast', 'merged', '--scope=~alice']],
  [['broadcast', '-', '--quiet'], '\r\n0'],
  [['broadcast', 'a', '--scope', '~alice/nobody@nowhere']],
  [['handover', 'refresh() is red on purpose']],
  [['handover', '-'], `${'é'.repeat(4_000)}\n`],
  [['send', '--kind', 'agent_return_event', RETURN]],
  [['send', '-', '--kind=agent_return_event', '--scope', '~alice/*'], RETURN],
  [['send', '--kind', 'agent_return_event', '-'], `${' '.repeat(60_000)}${RETURN}`],
  [['send', '--kind', 'agent_advisory', '{"advisory_text":"1","file_refs":["a"]}']],
  [['send', '--kind', 'peer_diagnostic_request', DIAGNOSIS]],
  [['send', '--kind', 'peer_diagnostic_request', '-', '--quiet'], DIAGNOSIS],
])

/** What it leaves to Node: before anything was sent, or after the daemon has refused. */
const LEFT: readonly Line[] = lines([
  [[]],
  [['advise']],
  [['advise', '--help']],
  [['--quiet', 'advise', 'a']],
  [['advise', 'a', 'b']],
  [['advise', '']],
  [['advise', 'x'.repeat(3_000)]],
  [['advise', '-x']],
  [['advise', '--', '-x']],
  [['advise', 'a', '--colour', 'red']],
  [['advise', 'a', '--file-ref']],
  [['advise', 'a', '--file-ref', '-']],
  [['advise', 'a', '--file-ref', '']],
  [['advise', 'a', '--kind', 'agent_advisory']],
  [['advise', 'a', '--branch', 'main']],
  [['advise', 'a', '--scope', '~bob']],
  [['advise', 'a', '--scope', '~']],
  [['advise', 'a', '--scope', '']],
  [['advise', 'a', '--scope', 'nobody-of-that-name']],
  [['advise', 'a', '--scope', 'listener']],
  [['advise', 'a', '--to', '~alice/*']],
  [['advise', 'a', '--scope', '~alice', '--scope', '~alice/*']],
  [['advise', 'a', '--token', 'x']],
  [['advise', 'a', '--socket', '/nowhere.sock', '--no-start']],
  [['advise', '-']],
  [['advise', '-'], 'NUL \0 between'],
  [['advise', '-'], Buffer.from([0x61, 0xff])],
  [['advise', '-'], Buffer.from([0xfe, 0x61, 0x00])],
  [['handover', '-'], 'x'.repeat(MAX_BODY_OCTETS)],
  [['handover', '-'], 'x'.repeat(MAX_BODY_OCTETS + 1)],
  [['handover']],
  [['handover', 'a', '--file', '/nowhere/at/all']],
  [['broadcast', 'a', '--class', 'merged']],
  [['send', '{}']],
  [['send', '--kind', '', '{}']],
  [['send', '--kind', 'agent_gossip', '{}']],
  [['send', '--kind', 'agent_advisory', '--kind', 'agent_broadcast', '{"broadcast_text":"a"}']],
  [['send', '--kind', 'agent_advisory', '{']],
  [['send', '--kind', 'agent_advisory', '[]']],
  [['send', '--kind', 'agent_advisory', '{"advisory_text":"a","advisory_text":"b"}']],
  [['send', '--kind', 'agent_advisory', '-'], '{\n  "advisory_text": oops }'],
  [['send', '--kind', 'agent_advisory', '{"text":"a"}']],
  [['send', '--kind', 'peer_diagnostic_request', '--no-redact', DIAGNOSIS]],
])

/** A page of history, as far as it is looked at. */
const Retained = z.object({
  items: z.array(
    z.object({ sender: z.unknown(), scope: z.string(), frame: z.record(z.string(), z.unknown()) }),
  ),
})

/** A handover that was sent. */
const Sent = z.object({
  frame: z.object({ payload: z.object({ pointer_refs: z.array(z.string()).optional() }) }),
})

describe.runIf(hasCurl)('a transcript by both ways', () => {
  let daemon: TestDaemon
  let dir: TempDir
  let paths: Paths

  beforeAll(async () => {
    dir = await createTempDir()
    paths = makePaths(dir)
    daemon = await startTestDaemon()
    const sessions = [
      { instrument: 'cc-opus', session_id: 's1', title: 'listener', mailbox: true },
      { instrument: 'codex', session_id: 's2', title: 'other', mailbox: true },
      { instrument: 'human', session_id: 's3', tool: 'human', mailbox: true },
    ]
    for (const session of sessions) await post(daemon.socket, '/v1/sessions', session)
  })
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await dir[Symbol.asyncDispose]()
  })

  /** How a line ended, and what was sent by it. */
  async function transcript(call: Omit<Call, 'env'>): Promise<Outcome & { readonly sent: unknown }> {
    const before = await frames()
    const outcome = await run({ ...call, env: daemon.env })
    return { ...outcome, sent: (await frames()).slice(before.length) }
  }

  /** Everything retained, without what is another one each time. */
  async function frames(): Promise<readonly unknown[]> {
    const { body } = await request(daemon.socket, '/v1/frames?limit=1000')
    const { items } = Retained.parse(body)
    return items.map(({ sender, scope, frame: { frame_id, created_at, ...frame } }) => {
      expect([typeof frame_id, typeof created_at]).toEqual(['string', 'string'])
      return { sender, scope, frame }
    })
  }

  test.each(PLAIN)(
    '%j needs no Node, and is what Node would have made of it (OP-14)',
    async (args, stdin) => {
      const slow = await transcript({ path: paths.slow, args, stdin })
      expect(slow).toMatchObject({ code: 0, stderr: '', sent: [expect.anything()] })

      for (const shell of SHELLS)
        expect({ shell, ...(await transcript({ path: paths.quick, args, stdin, shell })) }).toEqual({
          shell,
          ...slow,
        })
    },
  )

  test.each([
    ['at the top of a work tree', 'tree', ['tree']],
    ['below it', 'tree/src/auth', ['tree']],
    ['in none', 'elsewhere', undefined],
  ])('a handover %s says by both ways where that is (OP-14, OP-25)', async (_, folder, expected) => {
    for (const place of ['tree/.git', 'tree/src/auth', 'elsewhere'])
      mkdirSync(dir.file(place), { recursive: true })
    const call = { args: ['handover', 'text'], cwd: dir.file(folder) }

    const quick = await transcript({ ...call, path: paths.quick })
    const slow = await transcript({ ...call, path: paths.slow })

    const pointers = expected?.map((name) => join(realpathSync(dir.path), name))
    expect(quick).toEqual(slow)
    expect(z.array(Sent).parse(quick.sent)[0]?.frame.payload.pointer_refs).toEqual(pointers)
  })

  test.each(LEFT)('%j is left to Node, which alone sends it (OP-14)', async (args, stdin) => {
    const both = await transcript({ path: paths.both, args, stdin })
    const slow = await transcript({ path: paths.slow, args, stdin })

    expect(both).toEqual(slow)
  })

  test('of what is left to Node some is sent, and some is refused', async () => {
    const outcomes = [
      await transcript({ path: paths.both, args: ['advise', '-'], stdin: 'NUL \0 between' }),
      await transcript({ path: paths.both, args: ['advise', 'a', '--scope', '~bob'] }),
      await transcript({ path: paths.both, args: ['advise', 'a', '--scope', 'listener'] }),
    ]

    expect(outcomes).toMatchObject([
      { code: 0, sent: [{ frame: { payload: { advisory_text: 'NUL \0 between' } } }] },
      { code: 1, stderr: expect.stringContaining('scope-unauthorised'), sent: [] },
      { code: 0, sent: [{ scope: '~alice/cc-opus@s1' }] },
    ])
  })

  test('without curl and without Node it says which one it wants, and sends nothing', async () => {
    const { quick } = paths

    const outcome = await transcript({ path: quick, args: ['roster'] })

    expect(outcome).toMatchObject({
      code: 127,
      stdout: '',
      stderr: expect.stringContaining('node'),
      sent: [],
    })
  })
})
