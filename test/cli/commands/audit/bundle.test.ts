/**
 * `agentd audit bundle`, and what verifies it. Uses the built program.
 */
import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readKey } from '../../../../src/aee/keys/key.ts'
import { voltCanonicalJson } from '../../../../src/aee/evidence/volt-canonical.ts'
import { bundleIdOf } from '../../../../src/cli/evidence/bundle.ts'
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

  test('its signature covers all that is in it, the receipts and attachments too; one of an earlier agentd is judged as before', async () => {
    await using here = await createWitnessed()
    here.call('keys', 'new', 'human.alice', '--kid', 'k1')
    const out = here.file('bundle')
    here.call('audit', 'bundle', here.corr, '--out', out, '--sign', 'k1', '--envelopes')
    here.call('stop')
    const codes = (change: (manifest: Record<string, unknown>) => void): readonly string[] => {
      const folder = here.file(`copy-${readdirSync(here.file('.')).length}`)
      cpSync(out, folder, { recursive: true })
      inManifest(change)(folder)
      const { stdout } = here.call('audit', 'verify', folder, '--json')
      return JSON.parse(stdout).faults.map(({ code }: { code: string }) => code)
    }
    const key = readKey(readFileSync(join(here.file('state'), 'keys', 'k1.json'), 'utf8'))
    const asBefore = (manifest: Record<string, unknown>): void => {
      manifest['bundle_id'] = '0192f0c1-2d3e-7f40-8a5b-6c7d8e9f0a1b'
      const [record] = z
        .array(z.looseObject({ message: z.record(z.string(), z.unknown()) }))
        .parse(manifest['signatures'])
      const message = { ...record?.message, bundle_id: manifest['bundle_id'] }
      const signature = key.sign(Buffer.from(voltCanonicalJson(message))).toString('base64')
      manifest['signatures'] = [{ ...record, message, signature }]
    }

    // Whoever leaves out receipts, or an envelope, makes the manifest fit; the id alone tells, and the signature has that.
    expect(codes((manifest) => delete manifest['receipts_file'])).toEqual(['MANIFEST_MISMATCH'])
    expect(codes((manifest) => (manifest['attachments'] = []))).toEqual(['MANIFEST_MISMATCH'])
    expect(
      codes((manifest) => {
        manifest['attachments'] = []
        manifest['bundle_id'] = bundleIdOf(manifest)
      }),
    ).toEqual(['SIGNATURE_INVALID'])
    expect(codes(asBefore)).toEqual([])
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
