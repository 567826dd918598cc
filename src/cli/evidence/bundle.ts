/**
 * A VOLT evidence bundle: the chain up to the last event of one workflow, what witnessed its envelopes, and a manifest,
 * in a folder that can be verified anywhere.
 *
 * @see docs/requirements.md §2.3; VOLT 0.1 "Evidence Bundles"
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Hex } from '../../aee/envelope/canonical.ts'
import { VOLT_VERSION } from '../../aee/evidence/volt.ts'
import { voltCanonicalJson } from '../../aee/evidence/volt-canonical.ts'
import { toLedgerText } from '../../aee/evidence/ledger-text.ts'
import type { Key } from '../../aee/keys/key.ts'
import { UsageError } from '../../core/errors.ts'
import { writePrivateFile } from '../../host/files/private-file.ts'
import { packageVersion } from '../../host/package.ts'
import { auditInTurns } from './audit-file.ts'
import { signEvidence } from './evidence-signature.ts'
import { ledgerEntries, type LedgerEntry } from './ledger-entries.ts'

/** Names in a bundle. */
export const MANIFEST = 'manifest.json'
export const EVENTS = 'events.ndjson'
export const RECEIPTS = 'receipts.ndjson'

/** What a bundle is made of. */
export interface BundleRequest {
  readonly corr: string
  /** Where the ledgers are. */
  readonly files: readonly string[]
  /** A folder that is not there yet. */
  readonly directory: string
  readonly at: string
  /** Envelopes as they were stored, whose content goes along; of none, their hashes alone do. */
  readonly envelopes: readonly { readonly id: string; readonly text: string }[]
  readonly key: Key | undefined
  /** Called behind each entry that is read, and waited for where it says so: a ledger may be long. */
  readonly breathe: Breathe
}

type Breathe = () => Promise<void> | undefined

/** What was written. */
export interface Bundle {
  readonly directory: string
  readonly bundleId: string
  readonly events: number
  readonly receipts: number
  readonly attachments: number
  readonly isSigned: boolean
}

/** What a signature of a bundle is made of, under its names there. */
export interface BundleMessage {
  readonly run_id: string
  readonly bundle_id: string
  readonly hash_alg: 'sha256'
  readonly first_event_hash: string
  readonly last_event_hash: string
  readonly event_count: number
}

/** Where in the ledgers a workflow is. */
interface Place {
  readonly file: string
  readonly upToLine: number
}

/**
 * Writes one.
 *
 * @throws UsageError where no ledger knows the workflow, more than one does, a chain is not whole, or the folder cannot
 *   be made
 */
export async function writeBundle(request: BundleRequest): Promise<Bundle> {
  const { corr, directory, envelopes, breathe } = request
  const told = await findPlace(request, 'VOLT', (entry) => entry.corr === toLedgerText(corr))
  if (told === undefined) throw new UsageError(`No VOLT ledger knows the workflow "${corr}".`)
  const ids = await envelopeIdsOf(told.file, corr, breathe)
  const seen = await findPlace(
    request,
    'WARD',
    ({ envelopeId }) => envelopeId !== undefined && ids.has(envelopeId),
  )
  makeFolder(directory)
  const events = await copyEntries(told, join(directory, EVENTS), breathe)
  const receipts =
    seen === undefined ? undefined : await copyEntries(seen, join(directory, RECEIPTS), breathe)
  const attachments = envelopes.map(({ text }) => attach(directory, text))
  const spans = {
    run_id: events.first.chain,
    hash_alg: 'sha256',
    first_event_hash: events.first.hash,
    last_event_hash: events.last.hash,
    event_count: events.count,
  } as const
  const contents = {
    volt_version: VOLT_VERSION,
    ...spans,
    created_ts: request.at,
    events_file: EVENTS,
    bundle_mode: 'rolling',
    cutoff_ts: events.last.at,
    correlation_id: corr,
    producer: { name: 'agentd', version: packageVersion() },
    integrations: { aee: { envelope_ids: [...ids] } },
    redactions_present: false,
    attachments_present: attachments.length > 0,
    attachments,
    ...(receipts !== undefined && {
      receipts_file: RECEIPTS,
      receipt_count: receipts.count,
      last_receipt_hash: receipts.last.hash,
    }),
  }
  const message: BundleMessage = { ...spans, bundle_id: bundleIdOf(contents) }
  const signatures = request.key === undefined ? [] : [sign(message, request.key, request.at)]
  const manifest = { ...contents, bundle_id: message.bundle_id, signatures }
  writePrivateFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  return {
    directory,
    bundleId: message.bundle_id,
    events: events.count,
    receipts: receipts?.count ?? 0,
    attachments: attachments.length,
    isSigned: request.key !== undefined,
  }
}

/** What the id of a bundle begins with that is the hash of its manifest; one without was made by an earlier agentd. */
export const HASHED_ID = 'sha256-'

/**
 * The id of a bundle: the hash of all that its manifest says besides the id itself and its signatures. VOLT's signature names
 * the chain and the id, and no receipts or attachments; by the id it covers these too.
 */
export function bundleIdOf(manifest: Readonly<Record<string, unknown>>): string {
  const { bundle_id: _id, signatures: _signatures, ...contents } = manifest
  return `${HASHED_ID}${sha256Hex(voltCanonicalJson(contents))}`
}

/** What the bytes of a bundle's signature are. */
export function bundleBytes(message: BundleMessage): Uint8Array {
  return Buffer.from(voltCanonicalJson(message))
}

/** Where the last entry of a kind is that is looked for, in a chain that is whole so far. */
async function findPlace(
  { corr, files, breathe }: BundleRequest,
  format: LedgerEntry['format'],
  isSought: (entry: LedgerEntry) => boolean,
): Promise<Place | undefined> {
  const places: Place[] = []
  for (const file of files) {
    let upToLine = 0
    for (const entry of ledgerEntries(file)) {
      if (entry.format === format && isSought(entry)) upToLine = entry.line
      await breathe()
    }
    if (upToLine > 0) places.push({ file, upToLine })
  }
  const [place, other] = places
  if (place === undefined) return undefined
  if (other !== undefined)
    throw new UsageError(
      `The workflow "${corr}" is in ${place.file} and in ${other.file}; name one of them with --ledger.`,
    )
  const { isWhole, faults } = await auditInTurns(place.file, breathe, place.upToLine)
  if (isWhole) return place
  throw new UsageError(`${place.file} is not whole: ${faults[0]?.message ?? 'it was changed.'}`)
}

async function envelopeIdsOf(file: string, corr: string, breathe: Breathe): Promise<ReadonlySet<string>> {
  const ledgerCorr = toLedgerText(corr)
  const ids = new Set<string>()
  for (const { corr: found, envelopeId } of ledgerEntries(file)) {
    if (found === ledgerCorr && envelopeId !== undefined) ids.add(envelopeId)
    await breathe()
  }
  return ids
}

function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    throw new UsageError(`${directory} cannot be made; name a folder that is not there yet.`, {
      cause: error,
    })
  }
}

/** What was copied. */
interface Copied {
  readonly first: LedgerEntry
  readonly last: LedgerEntry
  readonly count: number
}

async function copyEntries({ file, upToLine }: Place, target: string, breathe: Breathe): Promise<Copied> {
  const out = openSync(target, 'wx', 0o600)
  try {
    let [first, last, count]: [LedgerEntry | undefined, LedgerEntry | undefined, number] = [
      undefined,
      undefined,
      0,
    ]
    for (const entry of ledgerEntries(file)) {
      if (entry.line > upToLine) break
      writeSync(out, `${entry.text}\n`)
      first ??= entry
      last = entry
      count += 1
      await breathe()
    }
    if (first === undefined || last === undefined) throw new UsageError(`${file} has no entry any more.`)
    return { first, last, count }
  } finally {
    closeSync(out)
  }
}

/** By its own hash, as VOLT lays attachments down. */
function attach(directory: string, text: string): object {
  const hash = sha256Hex(text)
  const folder = join('attachments', hash.slice(0, 2))
  mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 })
  const path = join(folder, hash)
  writePrivateFile(join(directory, path), text)
  return { hash_alg: 'sha256', hash, content_type: 'application/json', bytes: Buffer.byteLength(text), path }
}

function sign(message: BundleMessage, key: Key, at: string): object {
  return {
    sig_version: VOLT_VERSION,
    sig_type: 'ed25519',
    key_id: key.kid,
    signed_ts: at,
    scope: 'bundle',
    message,
    signature: signEvidence(bundleBytes(message), key, 'bundle'),
  }
}
