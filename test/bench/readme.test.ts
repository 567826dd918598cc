/**
 * The bench as the README calls it: every line of its block, as written.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { blocks } from '../support/readme.ts'

const ROOT = new URL('../..', import.meta.url).pathname

/** A round of one row and its plot; a busy machine takes its time. */
const PATIENCE_MS = 120_000

test("the README's lines measure a row and draw it", { timeout: PATIENCE_MS }, () => {
  const lines = blocks().flatMap(({ language, text }) => (language === 'bash' ? text.trim().split('\n') : []))
  const [run, plots] = ['/tmp/agentd-bench.json', '/tmp/agentd-bench']
  try {
    const outputs = lines.map((line) => spawnSync('bash', ['-c', line], { cwd: ROOT, encoding: 'utf8' }))

    expect(lines).toHaveLength(2)
    expect(outputs.map(({ status, stderr }) => (status === 0 ? 0 : stderr))).toEqual([0, 0])
    expect(outputs[0]?.stdout).toMatch(/S-01 +deliveries, 100 subscribers/)
    expect(JSON.parse(readFileSync(run, 'utf8'))).toMatchObject({ scale: 'quick' })
    expect(readFileSync(`${plots}/fan-out.svg`, 'utf8')).toContain('<svg')
  } finally {
    rmSync(run, { force: true })
    rmSync(plots, { recursive: true, force: true })
  }
})
