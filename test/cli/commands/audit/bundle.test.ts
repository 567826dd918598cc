/**
 * `agentd audit bundle`, and what verifies it. Uses the built program.
 */
import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWitnessed } from './witnessed.ts'

/** The last line of a ledger is written anew, as somebody would who can write the file and knows how. */
function cutLastLine(path: string): void {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  writeFileSync(path, `${lines.slice(0, -1).join('\n')}\n`)
}

/** A change of the manifest alone. */
function inManifest(change: (manifest: Record<string, unknown>) => void) {
  return (folder: string): void => {
    const path = join(folder, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    change(manifest)
    writeFileSync(path, JSON.stringify(manifest))
  }
}

/** The first that the manifest names. */
function attachment(folder: string): string {
  const { attachments } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  return join(folder, attachments[0].path)
}

describe('agentd audit bundle', () => {
  test('somebody else verifies it with nothing but the folder and the key, and every change of it is found', async () => {
    await using here = await createWitnessed()
    here.call('keys', 'new', 'human.alice', '--kid', 'k1')
    const out = here.file('bundle')
    const made = here.call(
      'audit',
      'bundle',
      here.corr,
      '--out',
      out,
      '--sign',
      'k1',
      '--envelopes',
      '--json',
    )
    here.call('stop')
    expect(made.status).toBe(0)
    expect(JSON.parse(made.stdout)).toMatchObject({ events: 3, receipts: 3, attachments: 3, is_signed: true })

    const verdict = (change: (folder: string) => void) => {
      const folder = here.file(`copy-${readdirSync(here.file('.')).length}`)
      cpSync(out, folder, { recursive: true })
      change(folder)
      const { status, stdout } = here.call('audit', 'verify', folder, '--json')
      return {
        status,
        codes: stdout === '' ? [] : JSON.parse(stdout).faults.map(({ code }: { code: string }) => code),
      }
    }
    expect(verdict(() => {})).toEqual({ status: 0, codes: [] })
    expect(verdict((folder) => cutLastLine(join(folder, 'events.ndjson')))).toEqual({
      status: 1,
      codes: ['MANIFEST_MISMATCH', 'MANIFEST_MISMATCH'],
    })
    expect(verdict((folder) => cutLastLine(join(folder, 'receipts.ndjson'))).codes).toEqual([
      'MANIFEST_MISMATCH',
      'MANIFEST_MISMATCH',
    ])
    expect(verdict((folder) => appendFileSync(attachment(folder), ' ')).codes).toEqual([
      'ATTACHMENT_HASH_MISMATCH',
    ])
    expect(verdict((folder) => writeFileSync(join(folder, 'manifest.json'), '{')).status).toBe(2)
    expect(verdict(inManifest((manifest) => (manifest['bundle_id'] = 'another'))).codes).toEqual([
      'SIGNATURE_INVALID',
    ])
    expect(verdict(inManifest((manifest) => (manifest['events_file'] = '../x'))).status).toBe(2)
    expect(
      verdict((folder) => {
        const lines = readFileSync(join(folder, 'events.ndjson'), 'utf8').replace(
          '"size_bytes":',
          '"size_bytes":9',
        )
        writeFileSync(join(folder, 'events.ndjson'), lines)
      }).codes,
    ).toContain('EVENT_HASH_MISMATCH')
  })

  test('without --envelopes nothing of what they say is in it, and a folder that is there is not touched', async () => {
    await using here = await createWitnessed()
    const out = here.file('bundle')

    const made = here.call('audit', 'bundle', here.corr, '--out', out)
    const again = here.call('audit', 'bundle', here.corr, '--out', out)
    const unknown = here.call('audit', 'bundle', 'nobody-knows', '--out', here.file('other'))

    expect(made).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('3 events, 3 receipts, 0 envelopes'),
    })
    expect(readdirSync(out).toSorted()).toEqual(['events.ndjson', 'manifest.json', 'receipts.ndjson'])
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('not there yet') })
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('No VOLT ledger knows') })
    expect(existsSync(here.file('other'))).toBe(false)
  })
})
