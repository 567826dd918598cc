/**
 * Which of the waiting items may start a turn.
 */
import type { DaemonLink } from '../session/link.ts'
import { listMember, objectOf, textMember, type EventMembers } from '../events/members.ts'
import { isQuery, urgencyOf } from './urgency.ts'

/** Queries looked up to learn whom they were addressed to. */
const MAX_QUERIES = 100

/** @throws Unreached */
export async function hasInterrupt(
  link: DaemonLink,
  token: string,
  items: readonly EventMembers[],
): Promise<boolean> {
  return (await findInterrupts(link, token, items)).length > 0
}

/** @throws Unreached */
export async function findInterrupts(
  link: DaemonLink,
  token: string,
  items: readonly EventMembers[],
): Promise<readonly EventMembers[]> {
  const certain = items.filter(
    (item) => urgencyOf(item, { scope: textMember(item, 'scope') }) === 'interrupt',
  )
  const open = items.filter((item) => isQuery(item) && textMember(item, 'scope') === undefined)
  if (open.length === 0) return certain
  const scopes = await readScopes(link, token)
  const urgent = open.filter((item) => {
    const scope = scopes.get(textMember(item, 'event_id') ?? '')
    return urgencyOf(item, { scope }) === 'interrupt' && !certain.includes(item)
  })
  return [...certain, ...urgent]
}

/** An inbox does not say what its items were addressed to; the history does. */
async function readScopes(link: DaemonLink, token: string): Promise<ReadonlyMap<string, string>> {
  const path = `/v1/frames?filter=kind:agent_query&limit=${MAX_QUERIES}`
  const { body } = await link.send({ method: 'GET', path, token })
  const entries = listMember(body, 'items').map((item) => {
    const value = objectOf(item)
    return [textMember(value, 'event_id') ?? '', textMember(value, 'scope') ?? ''] as const
  })
  return new Map(entries)
}
