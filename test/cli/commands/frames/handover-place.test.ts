/** Where a handover says that it belongs, and what is said of one that nobody hears now (OP-25). */
import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../../support/daemon.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { AGENTD, agentd } from '../../support.ts'

test('a handover that points to nothing there points to its work tree as well, and is said to be shown there (OP-25)', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  mkdirSync(dir.file('.git'))
  writeFileSync(dir.file('notes.md'), '')
  const handOver = (cwd: string, ...pointers: readonly string[]) =>
    execFileSync(process.execPath, [AGENTD, 'handover', 'take over', ...pointers], {
      cwd,
      env: daemon.env,
      encoding: 'utf8',
    })

  const gone = handOver(dir.path, '--pointer', 'gone.md')
  handOver(dir.path, '--pointer', 'notes.md')
  const nowhere = handOver('/', '--pointer', 'gone.md')
  const { stdout } = await agentd(daemon.env, ['history', '--json'])

  const top = realpathSync(dir.path)
  expect(
    JSON.parse(stdout).items.map(
      ({ frame }: { frame: { payload: { pointer_refs: unknown } } }) => frame.payload.pointer_refs,
    ),
  ).toEqual([['gone.md', top], [join(top, 'notes.md')], ['gone.md']])
  expect(gone).toBe('sent agent_handover, kept; the next session that starts here is shown it\n')
  expect(nowhere).toBe('sent agent_handover, kept; agentd takeover --latest prints it\n')
})
