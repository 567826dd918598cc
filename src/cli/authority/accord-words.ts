/**
 * What an accord says, in words: what somebody reads before it is signed.
 */
import type { Accord } from '../../authority/accord.ts'
import { stateOf, type SignedDocument } from '../../authority/document.ts'
import { readReach, scopeOfGrant, type Grant } from '../../authority/grant.ts'
import { formatSpan } from '../../core/text/durations.ts'

/** An envelope names an entity and no scope, so none goes by an accord inside one machine (AEE-010, FED-57). */
const NO_ENVELOPES_HERE =
  '  Envelopes are granted between machines that are linked; on one machine this has no effect.'

/** `~acme and ~globex`. */
export function partiesInWords({ parties }: Accord): string {
  return parties.map(({ org }) => org).join(' and ')
}

/** One sentence for a grant, with the scope that it is used by. */
export function grantInWords(grant: Grant): string {
  const { from, kinds, intents, perMinute, maxOctets } = grant
  const what = [
    ...(kinds.length > 0 ? [kinds.join(', ')] : []),
    ...(intents.length > 0 ? [`envelopes of ${intents.join(', ')}`] : []),
  ].join(', and ')
  const bounds = `at most ${perMinute} a minute, each of at most ${maxOctets} octets`
  return `members of ${from} may send ${what} to ${reachInWords(grant)}, ${bounds} (${scopeOfGrant(grant)})`
}

/** How it stands in time: `in force, ends in 39d (2027-01-01T00:00:00.000Z)`. */
export function timesInWords(document: SignedDocument<Accord>, nowMs: number): string {
  const { notBeforeMs = nowMs, notAfterMs = nowMs } = document
  const state = stateOf(document, nowMs)
  const end = `ends in ${formatSpan(notAfterMs - nowMs)} (${new Date(notAfterMs).toISOString()})`
  if (state === 'over') return `over since ${new Date(notAfterMs).toISOString()}`
  return state === 'in force' ? `${state}, ${end}` : `begins in ${formatSpan(notBeforeMs - nowMs)}, ${end}`
}

/** Everything, line by line. */
export function accordInWords(document: SignedDocument<Accord>, nowMs: number): readonly string[] {
  const { authorityEpoch, body, signatures } = document
  const signed = signatures.map(({ by }) => by)
  return [
    `An accord between ${partiesInWords(body)}, epoch ${authorityEpoch}, ${timesInWords(document, nowMs)}:`,
    ...body.grants.map((grant) => `  - ${grantInWords(grant)}`),
    ...(body.grants.some(({ intents }) => intents.length > 0) ? [NO_ENVELOPES_HERE] : []),
    signed.length === 0 ? '  Nobody has signed it.' : `  Signed by ${signed.join(' and ')}.`,
  ]
}

function reachInWords({ reach, to }: Grant): string {
  const named = reach.map((word) => {
    const one = readReach(word)
    if (one?.of === 'role') return `its members in the role ${one.role}`
    return one?.of === 'member' ? one.handle : 'all its members'
  })
  return `${to} (${named.join(', ')})`
}
