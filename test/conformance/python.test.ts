/**
 * The second implementation, in Python: it passes what the memo's text demands, and with a fault in it it does not.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { markedTable } from '../support/pages.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { PYTHON, reportOf, rowOf, totalOf } from './kit.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'examples', 'python')

/** The memo without what an implementation may decline. */
const MEMO = ['--draft', 'memo', '--without', 'org', '--without', 'accord']

test.runIf(hasProgram('python3'))(
  'an implementation in Python passes what the text of the memo demands (PD-14)',
  async () => {
    const { code, report } = await reportOf(['--command', PYTHON, ...MEMO])

    expect(report.failures).toEqual([])
    expect(code).toBe(0)
    expect(totalOf(report)).toMatchObject({ unsupported: 0 })
    expect(totalOf(report).passed).toBeGreaterThan(900)
    expect(markedTable('kit')).toContain(rowOf('`channel.py`, the memo | command', report))
  },
)

test('it is 300 lines at the most that are not blank (PD-14)', () => {
  const source = readFileSync(join(FOLDER, 'channel.py'), 'utf8')

  expect(source.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(300)
})

test.runIf(hasProgram('python3'))(
  'it and its adapter need no package: they load without any place for one (PD-14)',
  () => {
    const look =
      'import sys; sys.path.insert(0, sys.argv[1]); import channel, conformance; print(channel.MAX_FRAME_OCTETS)'
    const { status, stdout, stderr } = spawnSync('python3', ['-B', '-E', '-S', '-c', look, FOLDER], {
      encoding: 'utf8',
      input: '',
    })

    expect([status, stdout, stderr]).toEqual([0, '65536\n', ''])
  },
)

/** Faults that an implementation may have: a line of `channel.py`, and what stands in its place. */
const FAULTS: readonly (readonly [what: string, line: string, fault: string])[] = [
  ['counts characters', 'low <= len(value.encode()) <= high', 'low <= len(value) <= high'],
  ['takes any version of a UUID', '-4[0-9a-f]{3}-[89ab]', '-[0-9a-f]{4}-[89ab]'],
  [
    'lets a field pass that is none',
    'for name in sorted(value.keys() - self.rules.keys()):',
    'for name in []:',
  ],
  ['has both hatches closed', 'any(hatches.values())', 'True'],
  ['counts true as a number', 'type(value) in (int, float)', 'isinstance(value, (int, float))'],
  ['ends a line at LF alone', 'translate=True', 'translate=False'],
  [
    'takes a prefix for a session',
    '(scope["instrument"], scope["session"]) ==',
    '(session["instrument"], scope["session"]) ==',
  ],
  [
    'widens an unknown axis',
    'for clause in expression.split(",")]',
    'for clause in expression.split(",") if clause.partition(":")[0] in AXES]',
  ],
  [
    'admits what one clause admits',
    'return all(facts.get(axis)',
    'return not clauses or any(facts.get(axis)',
  ],
  ['asks nobody who they are', 'frame["sender_handle"] == frame["acted_by"] ==', 'frame["acted_by"] =='],
  [
    'emits what it refuses',
    '        check_frame(frame)\n        is_own',
    '        [stream.append({"id": "0", "frame": frame}) for *_, stream in self.subscriptions]\n        check_frame(frame)\n        is_own',
  ],
  [
    'counts every session',
    'return {"recipient_count": len(reached)}',
    'return {"recipient_count": len(self.subscriptions)}',
  ],
  ['keeps what is stale', 'is_taken = self.ends(frame) > now and', 'is_taken ='],
  [
    'forgets the last event id',
    '                self.last_event_id = self._id\n',
    '                self.last_event_id = self._id if self._data else self.last_event_id\n',
  ],
]

describe.runIf(hasProgram('python3'))('the kit finds an implementation that', () => {
  test.each(FAULTS)('%s (PD-14)', async (_, line, fault) => {
    await using dir = await createTempDir()
    const source = readFileSync(join(FOLDER, 'channel.py'), 'utf8')
    expect(source.split(line)).toHaveLength(2)
    writeFileSync(
      dir.file('channel.py'),
      source.replace(line, () => fault),
    )
    writeFileSync(dir.file('conformance.py'), readFileSync(join(FOLDER, 'conformance.py')))

    const { report } = await reportOf(['--command', `python3 ${dir.file('conformance.py')}`, ...MEMO])

    expect(report.failures.filter(({ basis }) => basis === 'text')).not.toEqual([])
  })
})
