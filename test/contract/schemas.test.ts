/**
 * The published schemas before the daemon: what one admits and the other refuses is told by the schema, and in one list
 * (PD-15).
 */
import { expect, test } from 'vitest'
import { openBus } from '../../conformance/src/http/bus-adapter.ts'
import { readOptions } from '../../conformance/src/options.ts'
import { Writer } from '../../conformance/src/values.ts'
import { readSamples, readVectors, type Vector } from '../../conformance/src/vector.ts'
import { isJsonObject, type JsonObject } from '../../src/core/text/json-object.ts'
import { VECTORS } from '../conformance/kit.ts'
import { startTestDaemon } from '../support/daemon.ts'
import { satisfies } from '../support/published.ts'
import { BEYOND_SCHEMA, compare, differenceIn, type Refused } from './beyond-schema.ts'
import { NOW_MS, instancesOf, submissionsOf } from './instances.ts'

const vectors = readVectors(VECTORS)
const samples = readSamples(VECTORS)

/** Rules that only who knows the sender and what came before can apply. */
const OF_A_BUS: ReadonlySet<string> = new Set([
  'a sender who is somebody else',
  'a scope that is not for the sender',
  'an id that another frame had',
])

/** For all exchanges over HTTP, on a machine with other things to do. */
const EXCHANGES_MS = 60_000

function inputOf({ input }: Vector, nowMs: number): JsonObject {
  return new Writer(samples, nowMs).writeObject(input)
}

/** Puts differences with their vectors to the list: the rules that were used, and what is in no list. */
function held(differences: readonly (readonly [string, string])[]) {
  const rules = new Set(
    differences.map(([, rule]) => rule).filter((rule) => Object.hasOwn(BEYOND_SCHEMA, rule)),
  )
  return { rules, unlisted: differences.filter(([, rule]) => !rules.has(rule)) }
}

test('every vector is judged alike by its schema and the daemon, save by the rules no schema can say (PD-15, AEE-023)', () => {
  const instances = vectors.flatMap((vector) =>
    instancesOf(vector.op, inputOf(vector, NOW_MS)).map((instance) => ({ id: vector.id, instance })),
  )
  const { rules, unlisted } = held(
    instances.flatMap(({ id, instance }) => {
      const difference = compare(instance)
      return difference === undefined ? [] : [[id, difference] as const]
    }),
  )

  expect(unlisted).toEqual([])
  expect([...rules].toSorted()).toEqual(
    Object.keys(BEYOND_SCHEMA)
      .filter((rule) => !OF_A_BUS.has(rule))
      .toSorted(),
  )
  expect(instances.length).toBeGreaterThan(1_600)
})

test(
  'every frame of an exchange is judged alike by its schema and a daemon that knows who sends it (PD-15)',
  { timeout: EXCHANGES_MS },
  async () => {
    await using daemon = await startTestDaemon({ profile: 'conformance' })
    const { target } = readOptions(['--socket', daemon.socket])
    if (target?.by !== 'http') throw new TypeError('no bus')
    const bus = openBus(target.base, target.bus)
    const differences: (readonly [string, string])[] = []
    let judged = 0

    for (const vector of vectors.filter(({ op }) => op === 'exchange')) {
      const input = inputOf(vector, Date.now())
      const { results = [] } = await bus.ask({ op: vector.op, ...input })
      for (const [at, wrapper] of submissionsOf(input).entries()) {
        const refusal = refusalIn(Object(results)[at])
        const isAdmitted = satisfies('submission', wrapper)
        const difference = differenceIn({ schema: 'submission', isAdmitted, refusal })
        if (difference !== undefined) differences.push([vector.id, difference])
        judged += 1
      }
    }
    const { rules, unlisted } = held(differences)

    expect(unlisted).toEqual([])
    expect([...rules].toSorted()).toEqual([...OF_A_BUS].toSorted())
    expect(judged).toBeGreaterThan(50)
  },
)

/** What a submission of an exchange was refused with; undefined when it was taken. */
function refusalIn(result: unknown): Refused | undefined {
  if (!isJsonObject(result)) throw new TypeError('there is no result')
  const { ok, error } = result
  if (ok === true) return undefined
  const { code, message, field } = isJsonObject(error) ? error : {}
  return { code: String(code), message: String(message), field: String(field) }
}
