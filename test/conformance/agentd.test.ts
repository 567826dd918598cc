/**
 * agentd before its own kit: a running daemon over HTTP, and its pure parts as a library.
 */
import { expect, test } from 'vitest'
import type { Adapter } from '../../conformance/src/adapter.ts'
import { openBus } from '../../conformance/src/http/bus-adapter.ts'
import { openLibrary } from '../../conformance/src/library-adapter.ts'
import { toReport } from '../../conformance/src/report.ts'
import { readOptions } from '../../conformance/src/options.ts'
import { runVectors, type Result } from '../../conformance/src/run.ts'
import { readSamples, readVectors } from '../../conformance/src/vector.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { markedTable } from '../support/pages.ts'
import { LIBRARY, VECTORS, rowOf, runKit } from './kit.ts'

/** For all vectors over HTTP, on a machine with other things to do. */
const WHOLE_MS = 60_000

/** What cannot be asked of a daemon: what is a recipient's, or of files. */
const NOT_OVER_HTTP: ReadonlySet<string> = new Set([
  'canonical',
  'log',
  'receive',
  'stream',
  'thread',
  'volt',
  'ward',
])

function putAll(adapter: Adapter): Promise<readonly Result[]> {
  return runVectors(readVectors(VECTORS), readSamples(VECTORS), adapter)
}

function failuresIn(results: readonly Result[]): readonly string[] {
  return results
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ vector, remark }) => `${vector.id}: ${remark}`)
}

/** The operations of which something was not asked. */
function opsLeftOut(results: readonly Result[]): readonly string[] {
  const left = results.filter(({ outcome }) => outcome === 'unsupported')
  return [...new Set(left.map(({ vector }) => vector.op))].toSorted()
}

test(
  'a running daemon does what the drafts and our choices demand, asked over HTTP (PD-14)',
  { timeout: WHOLE_MS },
  async () => {
    await using dir = await createTempDir()
    await runKit(['--write-keys', dir.file('state', 'keys')])
    await using daemon = await startTestDaemon({ dir, profile: 'conformance' })
    const { target } = readOptions(['--socket', daemon.socket, '--has-keys'])
    if (target?.by !== 'http') throw new TypeError('no bus')

    const results = await putAll(openBus(target.base, target.bus))

    expect(failuresIn(results)).toEqual([])
    // Of scopes that name two principals, a daemon has the sessions of one.
    expect(opsLeftOut(results)).toEqual([...NOT_OVER_HTTP, 'scope-match'].toSorted())
    expect(results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(1_100)
    expect(markedTable('kit')).toContain(rowOf('agentd, a daemon | HTTP', toReport(results)))
  },
)

test('the parts of agentd do what the drafts and our choices demand, asked as a library (PD-14)', async () => {
  const results = await putAll(await openLibrary(LIBRARY))

  expect(failuresIn(results)).toEqual([])
  expect(opsLeftOut(results)).toEqual(['exchange'])
  expect(results.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(1_100)
  expect(markedTable('kit')).toContain(rowOf('agentd, its parts | library', toReport(results)))
})
