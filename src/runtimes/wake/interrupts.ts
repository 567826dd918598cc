/**
 * Which of the waiting items may start a turn.
 */
import type { Link } from '../session/link.ts'
import { listOf, objectOf, textOf, type Members } from '../events/members.ts'
import { isQuery, urgencyOf } from './urgency.ts'

/** Queries looked up to learn whom they were addressed to. */
const MAX_QUERIES = 100

/** @throws Unreached */
export async function hasInterrupt(link: Link, token: string, items: readonly Members[]): Promise<boolean> {
  return (await findInterrupts(link, token, items)).length > 0
}

/** @throws Unreached */
export async function findInterrupts(
  link: Link,
  token: string,
  items: readonly Members[],
): Promise<readonly Members[]> {
  const certain = items.filter((item) => urgencyOf(item, { scope: textOf(item, 'scope') }) === 'interrupt')
  const open = items.filter((item) => isQuery(item) && textOf(item, 'scope') === undefined)
  if (open.length === 0) return certain
  const scopes = await readScopes(link, token)
  const urgent = open.filter((item) => {
    const scope = scopes.get(textOf(item, 'event_id') ?? '')
    return urgencyOf(item, { scope }) === 'interrupt' && !certain.includes(item)
  })
  return [...certain, ...urgent]
}

/** An inbox does not say what its items were addressed to; the history does. */
async function readScopes(link: Link, token: string): Promise<ReadonlyMap<string, string>> {
  const path = `/v1/frames?filter=kind:agent_query&limit=${MAX_QUERIES}`
  const { body } = await link.send({ method: 'GET', path, token })
  const entries = listOf(body, 'items').map((item) => {
    const value = objectOf(item)
    return [textOf(value, 'event_id') ?? '', textOf(value, 'scope') ?? ''] as const
  })
  return new Map(entries)
}
