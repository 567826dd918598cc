/**
 * The picture of the README: what it shows is what the program says today.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { expectWellFormed } from '../support/well-formed.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PICTURE = join(ROOT, 'docs', 'recording.svg')

const canRecord = [hasProgram('git'), hasProgram('jq'), hasProgram('tmux'), hasProgram('curl')].every(Boolean)

/** Two shells at work; a busy machine takes its time. */
const PATIENCE_MS = 120_000

/** A picture is read by everybody who opens the page. */
const MAX_OCTETS = 100_000

/** What stands in the terminals at the end, without what is new in every recording. */
function transcriptOf(svg: string): string {
  const [, transcript = ''] = /<desc[^>]*>([^<]*)<\/desc>/.exec(svg) ?? []
  return transcript
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\[agentd [0-9a-f]{8}\]/g, '[agentd <mark>]')
    .replaceAll(/\b(?:(?:just )?now|\d+[sm] ago)\b/g, '<age>')
    .replaceAll(/\s+/g, ' ')
}

test.runIf(canRecord)(
  'the picture shows the commands and the answers of a recording made now',
  { timeout: PATIENCE_MS },
  async () => {
    await using dir = await createTempDir()
    const fresh = dir.file('recording.svg')
    execFileSync(process.execPath, [join(ROOT, 'test', 'recording', 'main.mjs'), '--to', fresh])

    const transcript = transcriptOf(readFileSync(fresh, 'utf8'))

    expect(transcript).toContain('announced work on src/auth.ts')
    expect(transcriptOf(readFileSync(PICTURE, 'utf8'))).toBe(transcript)
    expectWellFormed(readFileSync(fresh, 'utf8'))
  },
)

test('the picture is small, well-formed, and needs nothing from elsewhere', () => {
  const svg = readFileSync(PICTURE, 'utf8')

  expect(Buffer.byteLength(svg)).toBeLessThan(MAX_OCTETS)
  expectWellFormed(svg)
  expect(svg).not.toMatch(/<script|<image|<foreignobject|href=|url\(|@import|@font-face/i)
})

test('who prefers reduced motion, or has no animations, sees the last frame', () => {
  const svg = readFileSync(PICTURE, 'utf8')
  const [style = ''] = /<style>[\s\S]*<\/style>/.exec(svg) ?? []
  const [still = '', moving = ''] = style.split('@media (prefers-reduced-motion:no-preference){')
  const shown = svg.replace(style, '').replaceAll(/<desc[\s\S]*?<\/desc>|<g class="gone[^>]*>.*?<\/g>/g, '')

  expect(still).not.toContain('animation')
  expect(moving.match(/animation:/g)?.length).toBeGreaterThan(50)
  expect(shown).toContain('sent agent_handover to 1 session (waiting in its mailbox)')
  expect(shown.match(/class="cursor"/g)).toHaveLength(1)
})
