/** Agents that say nothing, as a session is told of them before it edits: real processes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WORKTREE_EVERY_MS } from '../../../src/hooks/observation/observer.ts'
import { REGISTERING_MS, SCAN_EVERY_MS } from '../../../src/hooks/observation/silent-agents.ts'
import { runsOnLinux } from '../../support/needs.ts'
import { RUNS, startRunning } from '../../support/running-program.ts'
import { beginSession, openPlace } from './observed-desk.ts'

const isLinux = runsOnLinux('/proc')

const AUTH = 'src/auth.ts'

describe.runIf(isLinux)('an agent that says nothing', () => {
  test('is told of with the edit behind the look at its process, once, and not once it registers (OB-04, OB-06)', async () => {
    await using place = await openPlace(REGISTERING_MS * 2)
    const { main, dir } = place.checkout
    const program = join(dir.path, 'claude')
    writeFileSync(program, RUNS)
    await using own = await startRunning(main, ['-e', RUNS])
    await using silent = await startRunning(main, [program])
    await using registering = await startRunning(main, [program])
    await place.desk.event('claude-code', 'session-end', { session_id: 'one', cwd: main })
    const two = await beginSession(place.desk, place.checkout, 'two', { pid: own.pid, peerPid: own.pid })
    const first = await two.editing(AUTH)
    await beginSession(place.desk, place.checkout, 'three', {
      pid: registering.pid,
      peerPid: registering.pid,
    })
    const seen: string[] = []
    while (seen.length === 0) {
      place.clock.advance(WORKTREE_EVERY_MS)
      // oxlint-disable-next-line eslint/no-await-in-loop
      const text = await two.editing(AUTH)
      if (text !== '') seen.push(text)
    }
    place.clock.advance(SCAN_EVERY_MS)
    const again = [await two.editing(AUTH)]

    expect(first).toBe('')
    expect(seen[0]).toMatch(
      new RegExp(
        `a process called "claude" \\(pid ${silent.pid}, started \\S+ ago\\) works in this worktree and has not registered`,
      ),
    )
    expect(again).toEqual([''])
  })
})
