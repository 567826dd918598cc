/** Signed envelopes, by the measured tree's own code, and what checking their signatures takes without anything else. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onServerCore } from './machine.mjs'
import { ROOT } from './root.mjs'

const VERIFY = fileURLToPath(new URL('verify-member.mjs', import.meta.url))

/** How long the bare checks may take, in milliseconds. */
const VERIFY_MS = 60_000

/** Makes a key for an entity and puts it where the daemon of this place looks for keys. */
export async function createSigner({ dir }, entity) {
  const [{ createKey }, { readKey }, { boundBytes, signEnvelope }] = await Promise.all(
    ['new-key', 'key', 'signature'].map((name) => import(join(ROOT, `dist/aee/keys/${name}.js`))),
  )
  const { kid, text } = createKey({ alg: 'ed25519', entities: [entity], nowMs: Date.now() })
  mkdirSync(dir.file('state'), { mode: 0o700, recursive: true })
  mkdirSync(dir.file('state', 'keys'), { mode: 0o700 })
  writeFileSync(dir.file('state', 'keys', `${kid}.json`), text, { mode: 0o600 })
  const key = readKey(text)
  return {
    publicKey: JSON.parse(text).public,
    sign: (envelope) => ({ ...envelope, sig: signEnvelope(envelope, key) }),
    bytesOf: (envelope) => boundBytes(envelope, 'aee-jcs-1'),
  }
}

/** Checks per second of `node:crypto` alone, in a process on the server's core: no daemon can take more. */
export function measureVerifying({ publicKey, bytesOf }, signed, repeats) {
  const items = signed.map((envelope) => [
    Buffer.from(bytesOf(envelope)).toString('base64'),
    envelope.sig.value,
  ])
  const [program, ...args] = onServerCore([process.execPath, VERIFY, String(repeats)])
  const input = JSON.stringify({ publicKey, items })
  const perSecond = execFileSync(program, args, { input, encoding: 'utf8', timeout: VERIFY_MS })
  return Number(perSecond)
}
