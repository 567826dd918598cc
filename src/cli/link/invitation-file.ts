/**
 * The invitation to a realm of several people, joined with what this machine has kept since it asked for it.
 *
 * @see FED-14, FED-40, FED-41, FED-44
 */
import { CHARTER, type Charter } from '../../authority/charter.ts'
import { formatDocument, readDocument, stateOf, type SignedDocument } from '../../authority/document.ts'
import { onlyKey } from '../../authority/estate.ts'
import { verifyDocument } from '../../authority/signing.ts'
import { AgentdError, UsageError } from '../../core/errors.ts'
import { formatCount } from '../../core/text/counts.ts'
import { orRefusal } from '../../core/thrown.ts'
import { readPending } from '../../host/links/pending-folder.ts'
import { readInvitation, type Invitation } from '../../link/joining/invitation.ts'
import { decodePending, type PendingJoin } from '../../link/joining/pending.ts'
import type { LinkFile } from '../../link/link-file.ts'
import { realmForm } from '../../link/realm.ts'
import { AuthorityFolder } from '../authority/authority-folder.ts'
import { askPerson } from '../authority/person.ts'
import { asUsage } from '../run/as-usage.ts'
import type { CommandContext } from '../run/command-context.ts'
import { keyWords } from './key-words.ts'

/** What becomes a link, without what `link add` says of it. */
export type JoinedFile = Omit<LinkFile, 'type' | 'since_ms' | 'added_at_ms'>

/**
 * Takes the charter of the organisation and joins both halves. Whether its key is to be trusted is asked where this machine has not
 * this charter, or a newer one, by that key already; that one is used then.
 *
 * @returns undefined where the person says no
 * @throws UsageError for a file that is none, that is another machine's, and for a charter that does not name this person
 */
export async function joinInvitation(text: string, context: CommandContext): Promise<JoinedFile | undefined> {
  const invitation = asUsage(() => readInvitation(text))
  const pending = requirePending(invitation, context)
  const authority = new AuthorityFolder(context.environment)
  const brought = requireCharter(invitation, pending)
  const here = findHere(brought, invitation, authority)
  if (here === undefined && !askToTake(brought, invitation, context)) return undefined
  if (here === undefined) await take(brought, invitation, authority)
  else {
    requireNamed(here, invitation, pending)
    context.output.note(`The ${inWords(here)} is here already, by the same key, and is used.`)
  }
  const { v, realm, handle, node, urls, ca, domain, org_key } = invitation
  const { nkey_seed: nkey, node_key, estate_key, estate, org: side } = pending
  const keys = { credential: { nkey }, node_key, estate_key, estate }
  const own = { ...keys, ...(side !== undefined && { org: side }), trust_network: false }
  return {
    v,
    realm,
    handle,
    node,
    urls,
    ca,
    domain,
    ...own,
    charter: here === undefined ? invitation.charter : formatDocument(here),
    org_key,
  }
}

/** The charter that counts here, where it is the one that was brought or a newer one, by the key of the invitation. */
function findHere(
  brought: SignedDocument<Charter>,
  { org_key: key }: Invitation,
  authority: AuthorityFolder,
): SignedDocument<Charter> | undefined {
  const { org } = brought.body
  const here = authority.charters().get(org.slice(1))?.document
  if (here === undefined || here.authorityEpoch < brought.authorityEpoch) return undefined
  const isOther =
    here.authorityEpoch === brought.authorityEpoch && formatDocument(here) !== formatDocument(brought)
  const nowMs = Date.now()
  if (isOther || stateOf(here, nowMs) !== 'in force') return undefined
  const fault = orRefusal(() => verifyDocument(here, onlyKey(org, key), nowMs))
  return fault instanceof AgentdError ? undefined : here
}

function askToTake(
  charter: SignedDocument<Charter>,
  { org_key }: Invitation,
  context: CommandContext,
): boolean {
  const { org } = charter.body
  return askPerson(context, `Take the ${inWords(charter)}? The key of ${org} is ${keyWords(org_key)}.`)
}

/** `charter of ~acme (epoch 2, 2 members)` */
function inWords({ authorityEpoch, body: { org, members } }: SignedDocument<Charter>): string {
  return `charter of ${org} (epoch ${authorityEpoch}, ${formatCount(members.length, 'member')})`
}

/** @throws UsageError where this machine has not asked, or asked as another one */
function requirePending({ realm, handle, node }: Invitation, { environment }: CommandContext): PendingJoin {
  const text = readPending(environment, realm)
  const pending = text === undefined ? undefined : asUsage(() => decodePending(text))
  if (pending?.handle === handle && pending.node === node) return pending
  const asked = pending === undefined ? 'has not asked for it' : `asked as ${pending.handle}/${pending.node}`
  throw new UsageError(
    `The invitation is for ${handle}/${node}, and this machine ${asked}; add it where "agentd ${realm.startsWith('a.') ? 'accord' : 'org'} request" was run.`,
  )
}

/** The charter that the key of the invitation has signed, with this person in it by the key they have. */
function requireCharter(invitation: Invitation, pending: PendingJoin): SignedDocument<Charter> {
  const charter = asUsage(() => readDocument(CHARTER, invitation.charter))
  asUsage(() => verifyDocument(charter, onlyKey(charter.body.org, invitation.org_key), Date.now()))
  requireNamed(charter, invitation, pending)
  return charter
}

/** In an accord it is the charter of the other side, which names nobody of this one. */
function requireNamed(
  { body: { org, members } }: SignedDocument<Charter>,
  { realm, handle }: Invitation,
  { estate_key: own }: PendingJoin,
): void {
  const form = realmForm(realm)
  if (form.form !== 'org') return
  if (form.org !== org)
    throw new UsageError(`The invitation is to ${form.org}, and its charter is that of ${org}.`)
  const member = members.find((one) => one.handle === handle)
  if (member === undefined) throw new UsageError(`The charter of ${org} does not name ${handle}.`)
  if (member.key !== own)
    throw new UsageError(
      `The charter of ${org} names another key of ${handle} than the one that signs for this machine.`,
    )
}

/** A newer one that was accepted here stays. */
async function take(
  charter: SignedDocument<Charter>,
  { org_key: key }: Invitation,
  authority: AuthorityFolder,
): Promise<void> {
  const { org } = charter.body
  authority.trust(org, charter.signatures[0]?.kid ?? '', key)
  const former = authority.accepted(CHARTER, org.slice(1))
  if (former === undefined || former.authorityEpoch <= charter.authorityEpoch)
    await authority.install(charter)
}
