/**
 * The schemas that are published: the envelope's, and the payloads of the protocol's own intents.
 *
 * @see AEE-023, AEE-067; docs/http.md §10
 */
import { aeeIntents, aeeSchema } from '../intents/intents.ts'
import { FAILURE_SCHEMA } from '../intents/failure.ts'
import { PAYLOAD_VARIANTS, type JsonSchema } from '../intents/payload-schema.ts'
import { ENVELOPE_SCHEMA, LOG_SCHEMA } from './schema.ts'

/** `aee-v1`, `aee-log`, `aee.error`, and `<intent>.<task|result|error>`. */
const PUBLISHED: Readonly<Record<string, JsonSchema>> = {
  'aee-v1': ENVELOPE_SCHEMA,
  'aee-log': LOG_SCHEMA,
  'aee.error': FAILURE_SCHEMA,
  ...Object.fromEntries(
    aeeIntents().flatMap((intent) =>
      PAYLOAD_VARIANTS.map((variant) => {
        const name = `${intent}.${variant}`
        // The intents share one schema of errors, and no two documents may have one id.
        return [name, { ...aeeSchema(intent, variant), $id: `urn:agentd:schema:${name}` }]
      }),
    ),
  ),
}

/** The names under which they are asked for. */
export const ENVELOPE_SCHEMA_NAMES: readonly string[] = Object.keys(PUBLISHED)

/** @returns undefined for a name that is not published */
export function findEnvelopeSchema(name: string): JsonSchema | undefined {
  return Object.hasOwn(PUBLISHED, name) ? PUBLISHED[name] : undefined
}

/** Where each belongs in a folder (AEE-067): `envelope/aee-v1.schema.json`, `intents/<intent>.<variant>.schema.json`. */
export function publishedPath(name: string): string {
  return `${name.includes('.') ? 'intents' : 'envelope'}/${name}.schema.json`
}
