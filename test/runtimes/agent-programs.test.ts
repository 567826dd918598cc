/** Whose a process is that is called as an agent is (OB-01, OB-03). */
import { expect, test } from 'vitest'
import { findSessionProcess, MAX_FOREBEARS } from '../../src/runtimes/agent-programs.ts'

/** Above every number that a machine gives out, so that nobody has them. */
const FIRST_PID = 2 ** 30

/** Processes that have started one another, the youngest first. */
function chainOf(length: number) {
  return Array.from({ length }, (_, i) => ({
    pid: FIRST_PID + i,
    parentPid: FIRST_PID + i + 1,
    cwd: '/home/alice/api',
    names: ['node'],
    startedMs: undefined,
  }))
}

test.each([
  ['the last forebear that is looked at is found', MAX_FOREBEARS - 1, FIRST_PID + MAX_FOREBEARS - 1],
  ['the one above it is not', MAX_FOREBEARS, undefined],
])('of the sessions that have named a process, %s (OB-03)', (_, place, expected) => {
  const processes = chainOf(MAX_FOREBEARS + 1)
  const [youngest] = processes
  if (youngest === undefined) throw new Error('there is no process')

  const found = findSessionProcess(youngest, { processes, pids: new Set([FIRST_PID + place]) })

  expect(found).toBe(expected)
})
