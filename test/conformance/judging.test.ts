/**
 * The kit itself: what it takes for an answer, what it says of one, and how it ends.
 */
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { judge } from '../../conformance/src/judge.ts'
import { openCommand } from '../../conformance/src/command-adapter.ts'
import { readOptions } from '../../conformance/src/options.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { LIBRARY, runKit } from './kit.ts'

const REFUSED = { ok: false, error: { code: 'field-invalid', field: 'payload.lease_id', message: 'No.' } }

describe('an answer', () => {
  test.each([
    [{ ok: true }, { ok: true, more: 1 }],
    [{ ok: false }, REFUSED],
    [{ ok: false, codes: ['field-missing', 'field-invalid'] }, REFUSED],
    [{ ok: false, codes: ['field-invalid'], field: 'payload.lease_id' }, REFUSED],
    [
      { ok: false, codes: ['field-invalid'], field: 'payload.lease_id' },
      { ok: false, error: { ...REFUSED.error, field: 'lease_id' } },
    ],
    [
      { ok: true, matches: [true, false] },
      { ok: true, matches: [true, false] },
    ],
    [
      { ok: true, frame: { kind: 'x', payload: { b: 1, a: 2 } } },
      { ok: true, frame: { kind: 'x', id: 7, payload: { a: 2, b: 1 } } },
    ],
  ])('passes that has every member of %j (PD-14)', (expected, answer) => {
    expect(judge(answer, expected, {})).toBeUndefined()
  })

  test.each([
    [{ ok: true }, REFUSED, /refused: field-invalid, payload\.lease_id, No\./],
    [{ ok: false }, { ok: true }, /"ok" is true/],
    [{ ok: false, codes: ['field-missing'] }, REFUSED, /code is "field-invalid", not "field-missing"/],
    [{ ok: false, codes: ['field-invalid'], field: 'kind' }, REFUSED, /field is "payload\.lease_id"/],
    [{ ok: false, codes: ['field-invalid'] }, { ok: false, error: { code: 'field-invalid' } }, /no message/],
    [{ ok: false, codes: ['field-invalid'] }, { ok: false, error: 'field-invalid' }, /code is absent/],
    [{ ok: true, matches: [true, false] }, { ok: true, matches: [true] }, /"matches"/],
    [{ ok: true, matches: [true, false] }, { ok: true, matches: [true, true] }, /"matches\[1\]" is true/],
    [{ ok: true, retry: null }, { ok: true }, /"retry" is absent/],
    [{ ok: true, results: [{ ok: true }] }, { ok: true, results: [REFUSED] }, /"results\[0\]\.ok"/],
  ])('fails that lacks something of %j: %j (PD-14)', (expected, answer, complaint) => {
    expect(judge(answer, expected, {})).toMatch(complaint)
  })
})

describe('what was received', () => {
  const frames = [{ frame_id: 'a', text: 'one' }, { frame_id: 'b' }]
  const input = { submit: frames.map((frame) => ({ frame })) }
  const received = (events: readonly unknown[]) =>
    judge({ ok: true, received: { x: events } }, { ok: true, received: { x: [0, 1] } }, input)
  const [first, second] = frames.map((frame, at) => ({ id: String(at), frame }))

  test('is every frame, in any order, as it was submitted, with an id (PD-14, AC-141)', () => {
    expect(received([second, first])).toBeUndefined()
    expect(received([first])).toMatch(/x received \[0\]/)
    expect(received([first, first, second])).toMatch(/x received/)
    expect(received([first, { ...second, frame: { frame_id: 'b', more: 1 } }])).toMatch(/not what was/)
    expect(received([first, { frame: frames[1] }])).toMatch(/without id/)
    expect(received([first, { id: '', frame: frames[1] }])).toMatch(/without id/)
    expect(received([first, { id: '9', frame: { frame_id: 'c' } }])).toMatch(/x received/)
  })
})

describe('an implementation that', () => {
  test.each([
    ['has nothing', '"unsupported":true', 0],
    ['takes everything', '"ok":true', 1],
    ['refuses everything', '"ok":false,"error":{"code":"no","message":"no"}', 1],
  ])('%s ends with what it deserves (PD-14)', async (_, members, code) => {
    await using dir = await createTempDir()
    const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) =>
      console.log('{"id":' + JSON.parse(line).id + ',${members}}'))`
    writeFileSync(dir.file('program.cjs'), program)

    const { code: ended, stdout } = await runKit(['--command', `node ${dir.file('program.cjs')}`])

    expect(ended).toBe(code)
    expect(stdout).toMatch(code === 0 ? /Nothing that the text/ : /\d+ of what the text of a draft demands/)
  })

  test.each([
    ['is not there', 'exec /nowhere/at-all'],
    ['ends', 'exit 3'],
    ['speaks no JSON', 'echo hello; cat > /dev/null'],
  ])('%s is not judged, and the kit ends with 2 (PD-14)', async (_, command) => {
    const { code, stderr } = await runKit(['--command', command])

    expect(code).toBe(2)
    expect(stderr).toMatch(/^agentd-conformance: .*(?:ended with|no answer: hello)/m)
  })

  test('does not answer is given up after its time (PD-14)', async () => {
    const adapter = openCommand('cat > /dev/null', 20)

    await expect(adapter.ask({ op: 'frame' })).rejects.toThrow('no answer within 20 ms')
    await adapter.close()
  })
})

test('what an open vector was answered is told in a word, and is no fault (PD-14)', async () => {
  const open = ['--library', LIBRARY, '--basis', 'open', '--section', '3.1', '--section', '5.13', '--long']
  const { code, stdout } = await runKit(open)

  expect(code).toBe(0)
  expect(stdout).toMatch(/^open {2}memo-3\.1-created_at-blank-for-T: refused: "field-invalid"$/m)
  expect(stdout).toMatch(/^open {2}memo-5\.13-intent_declare-ttl-0: taken$/m)
})

test('what is asked for can be narrowed, listed and left out (PD-14)', async () => {
  const { stdout } = await runKit(['--list', '--draft', 'memo', '--section', '6', '--without', 'org'])
  const lines = stdout.trim().split('\n')

  expect(lines.length).toBeGreaterThan(40)
  expect(lines.filter((line) => !line.startsWith('memo-6-') || line.startsWith('memo-6-scope-org'))).toEqual(
    [],
  )
  await expect(runKit(['--list', '--id', 'memo-6-scope-all'])).resolves.toMatchObject({
    stdout: expect.stringMatching(/^memo-6-scope-all {2}text {2}All sessions/),
  })
})

test.each([
  [['--colour', 'red']],
  [[]],
  [['--command', 'x', '--library', 'y']],
  [['--command', 'x', '--id', 'none']],
])('the command line %j is none (PD-14)', async (args) => {
  await expect(runKit(args)).resolves.toMatchObject({ code: 2, stdout: '' })
})

test('a bus may have other paths, another handle and headers of its own (PD-14)', () => {
  const { target } = readOptions([
    '--http',
    'http://h:1/',
    '--handle',
    '~bob',
    '--submit',
    '/f',
    '--scope-name',
    'to',
    '--header',
    'a: b:c',
  ])

  expect(target).toMatchObject({ by: 'http', base: 'http://h:1/' })
  expect(target).toHaveProperty('bus.handle', '~bob')
  expect(target).toHaveProperty('bus.submit', '/f')
  expect(target).toHaveProperty('bus.scopeName', 'to')
  expect(target).toHaveProperty('bus.headers', { a: 'b:c' })
})
