/**
 * A VOLT evidence bundle, held against its own manifest.
 *
 * @see docs/requirements.md §2.3; VOLT 0.1 "Verification"
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyRing } from '../../aee/keys/key.ts'
import { VOLT_VERSION } from '../../aee/evidence/volt.ts'
import { isHash } from '../../aee/evidence/ledger-report.ts'
import { UsageError } from '../../core/errors.ts'
import {
  listMember,
  numberOf,
  objectOf,
  parseMembers,
  textMember,
  type JsonObject,
} from '../../core/text/json-object.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { describeReadFault } from '../input/read-fault.ts'
import { auditFile, type Audit } from './audit-file.ts'
import { HASHED_ID, MANIFEST, RECEIPTS, bundleBytes, bundleIdOf, type BundleMessage } from './bundle.ts'
import { signatureFault } from './evidence-signature.ts'
import { ledgerEntries, type LedgerEntry } from './ledger-entries.ts'

/** One thing that is wrong, with VOLT's word for it; the line is the manifest's first, since it has none of its own. */
type BundleFault = Audit['faults'][number]

/** A manifest is an index, however long the workflow was. */
const MAX_MANIFEST_BYTES = 16_777_216

/** A name in the folder itself, and nothing outside of it. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/**
 * Verifies all of it: chain, manifest, receipts, attachments, signatures.
 *
 * @throws UsageError where the manifest or the events cannot be read
 */
export function auditBundle(directory: string, keys: KeyRing): Audit {
  const manifest = readManifest(directory)
  const name = textMember(manifest, 'events_file') ?? ''
  if (!PLAIN_NAME.test(name)) throw new UsageError(`${directory}: "events_file" is no name in this folder.`)
  const chain = auditFile(join(directory, name))
  const ends = readEnds(join(directory, name))
  const more = [
    ...manifestFaults(manifest, ends),
    ...(manifest['receipts_file'] === undefined ? [] : receiptFaults(directory, manifest)),
    ...listMember(manifest, 'attachments').flatMap((one) => attachmentFaults(directory, objectOf(one))),
    ...listMember(manifest, 'signatures').flatMap((one) => signatureFaults(objectOf(one), manifest, keys)),
  ]
  const faults = [...more, ...chain.faults]
  const isWhole = faults.length === 0
  const faultCount = more.length + chain.faultCount
  return { ...chain, file: directory, verdict: isWhole ? 'PASS' : 'FAIL', isWhole, faults, faultCount }
}

function readManifest(directory: string): JsonObject {
  const path = join(directory, MANIFEST)
  const text = readOrRefuse(path)
  const manifest = text.length > MAX_MANIFEST_BYTES ? undefined : parseMembers(text.toString('utf8'))
  if (manifest === undefined) throw new UsageError(`${path} is no manifest of an evidence bundle.`)
  return manifest
}

function readOrRefuse(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${describeReadFault(error)}.`, { cause: error })
  }
}

interface Ends {
  readonly first: LedgerEntry | undefined
  readonly last: LedgerEntry | undefined
  readonly count: number
}

function readEnds(path: string): Ends {
  let ends: Ends = { first: undefined, last: undefined, count: 0 }
  for (const entry of ledgerEntries(path))
    ends = { first: ends.first ?? entry, last: entry, count: ends.count + 1 }
  return ends
}

function manifestFaults(manifest: JsonObject, { first, last, count }: Ends): readonly BundleFault[] {
  const id = textMember(manifest, 'bundle_id') ?? ''
  return [
    ...(!id.startsWith(HASHED_ID) || id === bundleIdOf(manifest)
      ? []
      : [faultOf('MANIFEST_MISMATCH', '"bundle_id" is not the hash of what the manifest says.')]),
    ...(manifest['volt_version'] === VOLT_VERSION
      ? []
      : [faultOf('VERSION_MISMATCH', `The manifest is not of version ${VOLT_VERSION}.`)]),
    ...(manifest['run_id'] === first?.chain
      ? []
      : [faultOf('RUN_ID_MISMATCH', 'The manifest is of another run than the events.')]),
    ...mismatches(manifest, {
      event_count: count,
      first_event_hash: first?.hash,
      last_event_hash: last?.hash,
    }),
  ]
}

/** WARD's receipts go along; VOLT has no word for them, and a signature covers them by the id of the bundle. */
function receiptFaults(directory: string, manifest: JsonObject): readonly BundleFault[] {
  const path = join(directory, RECEIPTS)
  const { faults } = auditFile(path)
  const { last, count } = readEnds(path)
  return [
    ...faults.map(({ code, message }) => faultOf(code, `${RECEIPTS}: ${message}`)),
    ...mismatches(manifest, { receipt_count: count, last_receipt_hash: last?.hash }),
  ]
}

function mismatches(manifest: JsonObject, found: Readonly<Record<string, unknown>>): readonly BundleFault[] {
  return Object.entries(found).flatMap(([name, value]) =>
    manifest[name] === value ? [] : [faultOf('MANIFEST_MISMATCH', `"${name}" is not what the files say.`)],
  )
}

function attachmentFaults(directory: string, attachment: JsonObject): readonly BundleFault[] {
  const { hash } = attachment
  if (!isHash(hash)) return [faultOf('MANIFEST_MISMATCH', 'An attachment has no hash.')]
  try {
    const bytes = readFileSync(join(directory, 'attachments', hash.slice(0, 2), hash))
    if (createHash('sha256').update(bytes).digest('hex') === hash) return []
    return [faultOf('ATTACHMENT_HASH_MISMATCH', `The attachment ${hash} is another one than it was.`)]
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return [faultOf('ATTACHMENT_MISSING', `The attachment ${hash} cannot be read.`)]
  }
}

/** What was signed has to be this bundle, and by a key that is known here. */
function signatureFaults(record: JsonObject, manifest: JsonObject, keys: KeyRing): readonly BundleFault[] {
  const kid = textMember(record, 'key_id') ?? ''
  const value = textMember(record, 'signature') ?? ''
  const fault = signatureFault(bundleBytes(messageOf(manifest)), { kid, value }, keys)
  return fault === undefined
    ? []
    : [faultOf('SIGNATURE_INVALID', `The signature of the bundle does not hold: ${fault}.`)]
}

/** As the manifest says it, since that is what the signature is to hold for. */
function messageOf(manifest: JsonObject): BundleMessage {
  return {
    run_id: textMember(manifest, 'run_id') ?? '',
    bundle_id: textMember(manifest, 'bundle_id') ?? '',
    hash_alg: 'sha256',
    first_event_hash: textMember(manifest, 'first_event_hash') ?? '',
    last_event_hash: textMember(manifest, 'last_event_hash') ?? '',
    event_count: numberOf(manifest, 'event_count') ?? 0,
  }
}

function faultOf(code: string, message: string): BundleFault {
  return { line: 1, code, message }
}
