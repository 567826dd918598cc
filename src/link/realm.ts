/**
 * A realm: who shares one stream. Its name, and the names of what it has in the engine.
 *
 * Three forms: `p.<handle>`, a person's own machines; `o.<org>`, the members of an organisation; `a.<16 digits>`, two
 * organisations under an accord. Handle bodies, roles and labels of machines stand in subjects as they are, since none of
 * them has a dot.
 *
 * @see FED-11
 */
import { UsageError } from '../core/errors.ts'
import { isLabel } from '../protocol/address/label.ts'
import { audienceToken, isToken, readGrantAudience, readOrgAudience, type Audience } from './audience.ts'

/** `p.alice`, `o.acme`, `a.0123456789abcdef`. */
export type Realm = string

/** A realm, taken apart; `accord` is the `accordToken`. */
export type RealmForm =
  | { readonly form: 'person'; readonly principal: string }
  | { readonly form: 'org'; readonly org: string }
  | { readonly form: 'accord'; readonly accord: string }

/** A machine of a realm: whose it is and what it is called, and in an accord of which organisation it is. */
export interface NodeAt {
  /** `~bob` */
  readonly handle: string
  /** `box` */
  readonly node: string
  /** `~acme`; in accords alone */
  readonly org?: string | undefined
}

/** As a link file says it. */
export interface OwnNode {
  readonly realm: Realm
  readonly node: string
  readonly handle?: string | undefined
  readonly org?: string | undefined
}

/** Whose lane it is, and for whom. */
export interface LaneAt extends NodeAt {
  readonly audience: Audience
}

/** What stands before the name, and the letter that streams and buckets have for it. */
const FORMS = { p: 'P', o: 'O', a: 'A' } as const
type FormLetter = keyof typeof FORMS

/** The document that says who is in a realm, by its key in the bucket. */
const DOCUMENT_KEYS = { p: 'estate', o: 'charter', a: 'accord' } as const

/** What a node's own keys in the bucket begin with. */
const NODE_KEYS = { p: 'node.', o: 'member.', a: 'up.' } as const

/** The realm of one person's machines. @param principal - a handle, `~alice` */
export function ownRealm(principal: string): Realm {
  return `p.${principal.slice(1)}`
}

/** The realm of an organisation's members. @param org - a handle, `~acme` */
export function orgRealm(org: string): Realm {
  return `o.${org.slice(1)}`
}

/** The realm of two organisations. @param accord - `accordToken` of its id */
export function accordRealm(accord: string): Realm {
  return `a.${accord}`
}

/** Whether a text names a realm. */
export function isRealm(text: string): boolean {
  const name = text.slice(2)
  if (text.startsWith('a.')) return isToken(name)
  return (text.startsWith('p.') || text.startsWith('o.')) && isLabel(name)
}

/** @throws UsageError for a realm that is none */
export function realmForm(realm: Realm): RealmForm {
  const { letter, body } = partsOf(realm)
  if (letter === 'a') return { form: 'accord', accord: body }
  return letter === 'p' ? { form: 'person', principal: `~${body}` } : { form: 'org', org: `~${body}` }
}

/** Whose realm a person's own is: `~alice`. @throws UsageError for every other realm */
export function principalOf(realm: Realm): string {
  const form = realmForm(realm)
  if (form.form === 'person') return form.principal
  throw new UsageError(`"${realm}" is no realm of one person; write p.<handle>, such as p.alice.`)
}

/** Whether a text can be the name of a machine: 1 to 32 of `a-z 0-9 -`, no hyphen at either end. */
export function isNodeLabel(text: string): boolean {
  return isLabel(text)
}

/** The one subject that a node writes for an audience: `agentd.v1.p.alice.f.laptop`, `agentd.v1.o.acme.r-dev.bob.box`. */
export function laneOf(realm: Realm, { audience, handle, node }: LaneAt): string {
  return `${audiencePrefix(realm, audience)}${nodeTokens(realm, { handle, node })}`
}

/** The lane of one of a person's own machines. @throws UsageError as {@link principalOf} */
export function ownLane(realm: Realm, node: string): string {
  return laneOf(realm, { audience: { of: 'person' }, handle: principalOf(realm), node })
}

/** Whose lane it is, and for whom; undefined for a subject that is no lane of the realm. */
export function readLane(realm: Realm, subject: string): LaneAt | undefined {
  const { letter, body } = partsOf(realm)
  const prefix = `agentd.v1.${letter}.${body}.`
  if (!subject.startsWith(prefix)) return undefined
  const tokens = subject.slice(prefix.length).split('.')
  const node = tokens.pop() ?? ''
  const owner = letter === 'p' ? body : (tokens.pop() ?? '')
  const audience = readAudience(letter, tokens)
  return audience === undefined || !isLabel(node) || !isLabel(owner)
    ? undefined
    : { audience, handle: `~${owner}`, node, ...(audience.of === 'grant' && { org: audience.from }) }
}

/** Every lane of one audience: `agentd.v1.p.alice.f.>`, `agentd.v1.o.acme.all.>`. */
export function filterOf(realm: Realm, audience: Audience): string {
  return `${audiencePrefix(realm, audience)}>`
}

/** Every lane of the realm: `agentd.v1.p.alice.f.>`, `agentd.v1.o.acme.>`. */
export function laneFilter(realm: Realm): string {
  const { letter, body } = partsOf(realm)
  return letter === 'p' ? filterOf(realm, { of: 'person' }) : `agentd.v1.${letter}.${body}.>`
}

/** Every lane that a node has in an organisation, whoever it is for: `agentd.v1.o.acme.*.bob.box`. */
export function everyLaneOf(realm: Realm, at: NodeAt): string {
  return `${laneFilter(realm).slice(0, -1)}*.${nodeTokens(realm, at)}`
}

/** `AGENTD_P_alice`. */
export function streamName(realm: Realm): string {
  const { letter, body } = partsOf(realm)
  return `AGENTD_${FORMS[letter]}_${body}`
}

/** The bucket that holds the documents and who is there: `agentd_P_alice`. */
export function bucketName(realm: Realm): string {
  const { letter, body } = partsOf(realm)
  return `agentd_${FORMS[letter]}_${body}`
}

/** The stream that a bucket is: `KV_agentd_P_alice`. */
export function bucketStream(realm: Realm): string {
  return `KV_${bucketName(realm)}`
}

/** The key of the document that says who is in the realm: `estate`, `charter`, `accord`. */
export function documentKey(realm: Realm): string {
  return DOCUMENT_KEYS[partsOf(realm).letter]
}

/** The key of the charter of one of an accord's two sides: `charter.acme`. @param org - `~acme` */
export function charterKey(org: string): string {
  return `charter.${org.slice(1)}`
}

/** The one key that a node writes: `node.laptop`, `member.bob.box`, `up.acme.bob.box`. @throws UsageError in an accord without `org` */
export function nodeKey(realm: Realm, at: NodeAt): string {
  return `${NODE_KEYS[partsOf(realm).letter]}${orgToken(realm, at)}${nodeTokens(realm, at)}`
}

/** The subject of a key: `$KV.agentd_P_alice.node.laptop`. @param key - `>` for all of them */
export function kvSubject(realm: Realm, key: string): string {
  return `$KV.${bucketName(realm)}.${key}`
}

/** The node whose key it is; undefined for a subject that is none of the realm. */
export function nodeOfKey(realm: Realm, subject: string): NodeAt | undefined {
  const { letter, body } = partsOf(realm)
  const prefix = kvSubject(realm, NODE_KEYS[letter])
  if (!subject.startsWith(prefix)) return undefined
  const tokens = subject.slice(prefix.length).split('.')
  if (!tokens.every(isLabel)) return undefined
  if (letter === 'p') return tokens.length === 1 ? { handle: `~${body}`, node: tokens[0] ?? '' } : undefined
  if (tokens.length !== (letter === 'a' ? 3 : 2)) return undefined
  const [handle = '', node = ''] = tokens.slice(-2)
  return { handle: `~${handle}`, node, ...(letter === 'a' && { org: `~${tokens[0]}` }) }
}

/** The machine that a link makes this one. A link to one's own realm needs not say whose it is. */
export function ownNode({ realm, node, handle, org }: OwnNode): NodeAt {
  return { handle: handle ?? principalOf(realm), node, ...(org !== undefined && { org }) }
}

/** Whether a lane is a machine's own. */
export function isLaneOf(realm: Realm, lane: string, at: NodeAt): boolean {
  const found = readLane(realm, lane)
  return found?.handle === at.handle && found.node === at.node && found.org === at.org
}

/**
 * What is known of an audience is kept under it: of one's own realm, which has one, under the realm itself; else
 * `o.acme r-dev`.
 */
export function streamKey(realm: Realm, audience: Audience): string {
  return audience.of === 'person' ? realm : `${realm} ${audienceToken(audience)}`
}

/** What a node is called outside the engine: `box` in a person's own realm, `~bob/box` elsewhere. */
export function nodeId(realm: Realm, { handle, node }: NodeAt): string {
  return partsOf(realm).letter === 'p' ? node : `${handle}/${node}`
}

/** What the subjects of a node's answers begin with, as the client's option `inboxPrefix`: `_INBOX_laptop`, `_INBOX_bob_box`. */
export function inboxPrefix(realm: Realm, at: NodeAt): string {
  return `_INBOX_${`${orgToken(realm, at)}${nodeTokens(realm, at)}`.replaceAll('.', '_')}`
}

function audiencePrefix(realm: Realm, audience: Audience): string {
  const { letter, body } = partsOf(realm)
  const token = audienceToken(audience)
  if (readAudience(letter, token.split('.')) === undefined)
    throw new UsageError(`In the realm "${realm}" nobody writes for "${token}".`)
  return `agentd.v1.${letter}.${body}.${token}.`
}

function readAudience(letter: FormLetter, tokens: readonly string[]): Audience | undefined {
  const [first = '', second = ''] = tokens
  if (tokens.length !== (letter === 'a' ? 2 : 1)) return undefined
  if (letter === 'p') return first === 'f' ? { of: 'person' } : undefined
  return letter === 'o' ? readOrgAudience(first) : readGrantAudience(first, second)
}

/** A person's own machines are told apart by their labels alone. */
function nodeTokens(realm: Realm, { handle, node }: NodeAt): string {
  return partsOf(realm).letter === 'p' ? node : `${handle.slice(1)}.${node}`
}

/** In an accord two people of either side may have one handle and one label. */
function orgToken(realm: Realm, { org }: NodeAt): string {
  if (partsOf(realm).letter !== 'a') return ''
  if (org === undefined) throw new UsageError('A machine in an accord is of one of its two organisations.')
  return `${org.slice(1)}.`
}

/** Nothing of a realm that is none ever gets into a subject: a wildcard in it would read others. */
function partsOf(realm: Realm): { readonly letter: FormLetter; readonly body: string } {
  if (!isRealm(realm))
    throw new UsageError(`"${realm}" is no realm; write p.<handle>, such as p.alice, or o.<organisation>.`)
  const body = realm.slice(2)
  if (realm.startsWith('a.')) return { letter: 'a', body }
  return { letter: realm.startsWith('o.') ? 'o' : 'p', body }
}
