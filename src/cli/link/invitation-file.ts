/**
 * The invitation to a realm of several people, joined with what this machine has kept since it asked for it.
 *
 * @see FED-14, FED-40, FED-41, FED-44
 */
import { CHARTER, type Charter } from '../../authority/charter.ts'
import { readDocument, type SignedDocument } from '../../authority/document.ts'
import { onlyKey } from '../../authority/estate.ts'
import { verifyDocument } from '../../authority/signing.ts'
import { UsageError } from '../../core/errors.ts'
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
 * Asks whether the organisation's key is to be trusted, takes its charter, and joins both halves.
 *
 * @returns undefined where the person says no
 * @throws UsageError for a file that is none, that is another machine's, and for a charter that does not name this person
 */
export async function joinInvitation(text: string, context: CommandContext): Promise<JoinedFile | undefined> {
  const invitation = asUsage(() => readInvitation(text))
  const pending = requirePending(invitation, context)
  const charter = requireCharter(invitation, pending)
  const { org, members } = charter.body
  const many = `epoch ${charter.authorityEpoch}, ${members.length} members`
  const key = keyWords(invitation.org_key)
  if (!askPerson(context, `Take the charter of ${org} (${many})? The key of ${org} is ${key}.`))
    return undefined
  await take(charter, invitation, new AuthorityFolder(context.environment))
  const { v, realm, handle, node, urls, ca, domain, org_key } = invitation
  const { nkey_seed: nkey, node_key, estate_key, estate, org: side } = pending
  const keys = { credential: { nkey }, node_key, estate_key, estate }
  const own = { ...keys, ...(side !== undefined && { org: side }), trust_network: false }
  return { v, realm, handle, node, urls, ca, domain, ...own, charter: invitation.charter, org_key }
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
function requireCharter(
  { realm, charter: text, org_key: key, handle }: Invitation,
  { estate_key: own }: PendingJoin,
): SignedDocument<Charter> {
  const charter = asUsage(() => readDocument(CHARTER, text))
  const { org, members } = charter.body
  asUsage(() => verifyDocument(charter, onlyKey(org, key), Date.now()))
  const form = realmForm(realm)
  // In an accord it is the charter of the other side, which names nobody of this one.
  if (form.form !== 'org') return charter
  if (form.org !== org)
    throw new UsageError(`The invitation is to ${form.org}, and its charter is that of ${org}.`)
  const member = members.find((one) => one.handle === handle)
  if (member === undefined) throw new UsageError(`The charter of ${org} does not name ${handle}.`)
  if (member.key !== own)
    throw new UsageError(
      `The charter of ${org} names another key of ${handle} than the one that signs for this machine.`,
    )
  return charter
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
