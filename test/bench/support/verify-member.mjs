/**
 * The ceiling of signed envelopes: `node:crypto` checks the same signatures over the same bytes and does nothing
 * else, in a process of its own.
 *
 *   node verify-member.mjs <repeats> < {"publicKey": …, "items": [[bytes, signature], …]}
 *
 * Prints the checks per second of the middle repeat.
 */
import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { median } from './statistics.mjs'

const { publicKey, items } = JSON.parse(readFileSync(0, 'utf8'))
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
const pairs = items.map(([bytes, signature]) => [
  Buffer.from(bytes, 'base64'),
  Buffer.from(signature, 'base64'),
])
const rates = []
for (let i = 0; i <= Number(process.argv[2]); i += 1) {
  const startedMs = performance.now()
  for (const [bytes, signature] of pairs) {
    if (!verify(null, bytes, key, signature)) throw new Error('a signature does not hold')
  }
  rates.push((pairs.length / (performance.now() - startedMs)) * 1_000)
}
process.stdout.write(String(median(rates.slice(1))))
