/**
 * What needs the person, as a program reads it.
 *
 * @see docs/http.md §7; W-3, W-6
 */
import { parseEnvelope } from '../../aee/envelope/envelope.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { LooseNeedsReply, SummaryReply, type LooseNeed } from '../../protocol/http/need.ts'
import type { z } from 'zod'
import type { CallOptions } from '../http/call-options.ts'
import type { Connection } from '../http/connection.ts'
import { camelCased } from '../reply/camel-cased.ts'
import type { PersonNeed, PersonNeeds, Summary } from '../reply/need-results.ts'
import { findFrame } from '../reply/results.ts'

/** Everything that needs the person just now. */
export async function readNeeds(connection: Connection, { signal }: CallOptions): Promise<PersonNeeds> {
  const { needs, counts, displaced } = await connection.call({ route: 'getNeeds', signal }, LooseNeedsReply)
  return { needs: needs.map(toNeed), counts, displaced }
}

/** A few numbers; the daemon reads nothing for them. */
export async function readSummary(connection: Connection, { signal }: CallOptions): Promise<Summary> {
  return camelCased(await connection.call({ route: 'getSummary', signal }, SummaryReply))
}

/** A need as it came; what was sent is left out where this library cannot read it. */
export function toNeed(need: z.infer<typeof LooseNeed>): PersonNeed {
  const { frame, envelope, ...facts } = need
  return {
    ...camelCased(facts),
    frame: findFrame(frame),
    envelope: unlessRefused(() => parseEnvelope(envelope)),
  }
}
