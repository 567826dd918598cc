/** How far up it is looked for the forebear of a process (OB-03, HD-04). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { isForebear, MAX_FOREBEARS, parentOf } from '../../../src/host/process/ancestry.ts'
import { runsOnLinux } from '../../support/needs.ts'

/** Starts itself so many times, one in the other; the last says its number and waits for the end of its input. */
const CHAIN = 'if [ "$1" -gt 0 ]; then sh -c "$0" "$0" $(($1 - 1)); exit; fi; echo $$; read -r _'

describe.runIf(runsOnLinux('/proc'))('a forebear', () => {
  test('is found as far up as is looked, and not one further (HD-04)', async () => {
    const top = spawn('sh', ['-c', CHAIN, CHAIN, String(MAX_FOREBEARS)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface({ input: top.stdout }), 'line')
    const pids = [Number(line)]
    while (pids.length <= MAX_FOREBEARS) pids.push(parentOf(pids.at(-1) ?? -1) ?? -1)

    const seen = pids.map((pid) => isForebear(pid, Number(line)))
    top.stdin.end()
    await once(top, 'close')

    expect(pids.at(-1)).toBe(top.pid)
    expect(seen).toEqual([...pids.slice(1).map(() => true), false])
  })
})
