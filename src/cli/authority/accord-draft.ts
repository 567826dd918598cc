/**
 * A new text of an accord, which nobody has signed: to look at, and to hand to the other side.
 *
 * @see FED-40
 */
import { ACCORD, accordMembers, withGrant, type Party } from '../../authority/accord.ts'
import { draftDocument, formatDocument } from '../../authority/document.ts'
import type { Grant } from '../../authority/grant.ts'
import type { Key } from '../../aee/keys/key.ts'
import { UsageError } from '../../core/errors.ts'
import { requireKindOf } from '../input/whole-kinds.ts'
import { asUsage } from '../run/as-usage.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { readCount, readList, readTextOption } from '../run/options.ts'
import { accordInWords } from './accord-words.ts'
import { AuthorityFolder } from './authority-folder.ts'
import { readUntil, requireOrg } from './org-charters.ts'

/** What a grant has where nothing is said. */
const DEFAULT_PER_MINUTE = 60
const DEFAULT_MAX_OCTETS = 16_384

/** `agentd accord draft`. */
export function draftAccord(context: CommandContext): ExitCode {
  const folder = new AuthorityFolder(context.environment)
  const parties = requireParties(context, folder)
  const id = ACCORD.idOf({ parties, grants: [] })
  const former = folder.accords().get(id)?.document
  const ended = former?.notAfterMs === undefined ? undefined : new Date(former.notAfterMs).toISOString()
  const until = readUntil(context) ?? ended
  if (until === undefined) throw new UsageError('An accord always ends: say when with --until.')
  const grants = former?.body.grants ?? []
  const accord = withGrant({ parties, grants }, grantOf(context, parties))
  const document = asUsage(() =>
    draftDocument(ACCORD, {
      ...accordMembers(accord),
      authority_epoch: folder.nextEpoch(ACCORD, id),
      not_before: new Date().toISOString(),
      not_after: until,
    }),
  )
  const value: unknown = JSON.parse(formatDocument(document))
  context.output.answer(JSON.stringify(value, undefined, 2))
  for (const line of accordInWords(document, Date.now())) context.output.note(line)
  return EXIT.done
}

/** Both sides with the keys they sign with; this user's own first. */
function requireParties(context: CommandContext, folder: AuthorityFolder): readonly [Party, Party] {
  const peer = requireOrg(readTextOption(context.options, 'with'))
  const own = requireOwn(context, folder, peer)
  const key = folder.findSigner(own)
  if (key === undefined)
    throw new UsageError(`You do not sign for ${own} here; "agentd keys new --for ${own}" makes its key.`)
  const [theirs] = folder.signersOf(peer)
  if (theirs === undefined)
    throw new UsageError(`No key of ${peer} is trusted here; "agentd keys trust" takes the one it gives you.`)
  const [mine, other] = [partyOf(own, key), partyOf(peer, theirs)]
  return own < peer ? [mine, other] : [other, mine]
}

function partyOf(org: string, key: Key): Party {
  return { org, key: key.publicFields()?.public ?? '' }
}

/** For whom this user speaks: as said, or the one organisation other than the peer that it signs for. */
function requireOwn({ options }: CommandContext, folder: AuthorityFolder, peer: string): string {
  const named = readTextOption(options, 'org')
  if (named !== undefined) return requireOrg(named)
  const orgs = [...folder.charters().keys()].map((id) => `~${id}`)
  const mine = orgs.filter((org) => org !== peer && folder.findSigner(org) !== undefined)
  const [own] = mine
  if (own !== undefined && mine.length === 1) return own
  throw new UsageError('Say for which organisation you speak with --org, such as --org ~acme.')
}

function grantOf({ options }: CommandContext, parties: readonly [Party, Party]): Grant {
  const peer = requireOrg(readTextOption(options, 'with'))
  const [a, b] = parties.map(({ org }) => org)
  const own = a === peer ? b : a
  const from = readTextOption(options, 'from')
  const isFromPeer = from !== undefined && requireOrg(from) === peer
  if (from !== undefined && !isFromPeer && requireOrg(from) !== own)
    throw new UsageError(`--from is one of the two sides: ${own} or ${peer}.`)
  return {
    grant: readTextOption(options, 'grant') ?? '',
    from: (isFromPeer ? peer : own) ?? '',
    to: (isFromPeer ? own : peer) ?? '',
    reach: readList(options, 'reach') ?? [],
    kinds: (readList(options, 'kinds') ?? []).map(requireKindOf),
    intents: readList(options, 'intents') ?? [],
    perMinute: readCount(options, 'perMinute') ?? DEFAULT_PER_MINUTE,
    maxOctets: readCount(options, 'maxOctets') ?? DEFAULT_MAX_OCTETS,
  }
}
