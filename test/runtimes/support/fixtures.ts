/**
 * Payloads of every runtime: captured from the real program where there was one to run, otherwise from its
 * published schema, types or documentation; each file says which.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EVENT_NAMES, RUNTIMES } from '../../../src/runtimes/catalogue.ts'
import { readEvent, type HookEvent } from '../../../src/runtimes/events/event.ts'
import type { Runtime } from '../../../src/runtimes/record/record.ts'

const ROOT = join(import.meta.dirname, '..', 'fixtures')

export type Payload = Readonly<Record<string, unknown>>

/** One payload and where it is from. */
export interface Fixture {
  readonly runtime: string
  /** What happens, in our words; `after-edit` is an `after-tool` that wrote a file. */
  readonly name: string
  readonly provenance: string
  readonly payload: Payload
}

export const RUNTIME_IDS: readonly string[] = RUNTIMES.map(({ id }) => id)

export const FIXTURES: readonly Fixture[] = RUNTIME_IDS.flatMap((runtime) =>
  readdirSync(join(ROOT, runtime))
    .toSorted()
    .map((file) => {
      const { provenance, payload } = JSON.parse(readFileSync(join(ROOT, runtime, file), 'utf8'))
      return { runtime, name: file.replace('.json', ''), provenance, payload }
    }),
)

/** The payload of one event, with some members changed. */
export function payloadOf(runtime: string, name: string, changes: Payload = {}): Payload {
  const found = FIXTURES.find((fixture) => fixture.runtime === runtime && fixture.name === name)
  if (found === undefined) throw new Error(`${runtime} has no fixture ${name}`)
  return { ...found.payload, ...changes }
}

/** A published schema of Codex, such as `stop.command.output`. */
export function codexSchema(name: string): object {
  return JSON.parse(readFileSync(join(ROOT, 'codex-schemas', `${name}.json`), 'utf8'))
}

/** A row of the table. */
export function runtimeOf(id: string): Runtime {
  const found = RUNTIMES.find((runtime) => runtime.id === id)
  if (found === undefined) throw new Error(`there is no runtime ${id}`)
  return found
}

/** The event that a payload of a runtime is. */
export function eventOf(payload: Payload, id: string): HookEvent | undefined {
  return readEvent(payload, runtimeOf(id), EVENT_NAMES)
}
