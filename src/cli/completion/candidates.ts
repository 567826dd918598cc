/**
 * What there is of a sort, just now: for a shell that asks while somebody types.
 *
 * What others chose goes to a shell only as far as it is made of characters that mean little to one; the rest is left out,
 * and what is said beside a word is one safe line.
 */
import { realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { AgentdClient, PersonNeed } from '../../client/index.ts'
import { clip } from '../../core/text/clip.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { stateDir, type Environment } from '../../host/config/paths.ts'
import { readLinks } from '../../host/links/link-folders.ts'
import { isAbsolutePath } from '../../protocol/board/resource-path.ts'
import { KIND_NAMES } from '../../protocol/frame/kinds.ts'
import { summarise } from '../../protocol/frame/summary.ts'
import { AuthorityFolder } from '../authority/authority-folder.ts'
import { KeyFolder } from '../keys/key-folder.ts'
import { readLeaseLines } from '../leases/lease-words.ts'
import { isOwn, type LeaseLine } from '../leases/own-lease.ts'
import type { AskedSource } from './sources.ts'

/** One word that may stand there, and what it is. */
export interface Candidate {
  readonly word: string
  readonly says: string
}

/** What is looked at; the daemon is asked for only where it has to be. */
export interface Surroundings {
  readonly environment: Environment
  /** @throws whatever it is that it is not there by */
  readonly connect: () => Promise<AgentdClient>
}

/** More are of no use on a screen. */
export const MAX_CANDIDATES = 200

/** Longer words are left out: nobody would see what is chosen. */
const MAX_WORD_LENGTH = 200

const MAX_SAYS_LENGTH = 60

/** Frames of so long ago are offered by their id, and so many are looked through. */
const RECENT_MS = 3_600_000
const MAX_FRAMES = 500

/** No quote, no blank, no `$`, nothing that ends a command; `~` and `*` are quoted by the scripts. */
const SAFE_WORD = /^[A-Za-z0-9~][A-Za-z0-9~@:._/+*-]*$/

/** Those that a shell can be given, at most {@link MAX_CANDIDATES}, without repetitions. @throws as the daemon or a file does */
export async function findCandidates(
  source: AskedSource,
  surroundings: Surroundings,
): Promise<readonly Candidate[]> {
  const found = await FINDERS[source](surroundings)
  const safe = found.filter(({ word }) => SAFE_WORD.test(word) && word.length <= MAX_WORD_LENGTH)
  const once = new Map(safe.map(({ word, says }) => [word, clip(safeLine(says), MAX_SAYS_LENGTH)]))
  return [...once].slice(0, MAX_CANDIDATES).map(([word, says]) => ({ word, says }))
}

type Find = (surroundings: Surroundings) => Promise<readonly Candidate[]>

const FINDERS: Readonly<Record<AskedSource, Find>> = {
  sessions: asked(async (client) => {
    const sessions = await client.roster()
    return sessions.map(({ name, address, title }) => ({ word: name ?? address, says: title ?? address }))
  }),
  scopes: asked(async (client) => {
    const sessions = await client.roster()
    const handle = client.principal
    return [
      { word: `${handle}/*`, says: 'all of your sessions' },
      ...sessions.map(({ name, address }) => ({ word: address, says: name ?? '' })),
    ]
  }),
  leases: asked(async (client) => {
    const leases = await client.leases()
    return leases.map(({ leaseId, resource }) => ({ word: leaseId, says: resource }))
  }),
  leased: asked(async (client) => {
    const { leases, from } = await readLeaseLines(client)
    const own = leases.filter((lease) => isOwn(lease, from))
    return [
      ...own.map((lease) => ({ word: typedFrom(process.cwd(), lease), says: `${lease.left} left` })),
      ...leases.map(({ leaseId, resource }) => ({ word: leaseId, says: resource })),
    ]
  }),
  filters: async (surroundings) => {
    const kinds = KIND_NAMES.map((kind) => ({ word: `kind:${kind}`, says: 'frames of this kind' }))
    const handles = await FINDERS.handles(surroundings)
    return [...kinds, ...handles.map(({ word, says }) => ({ word: `sender:${word}`, says }))]
  },
  needs: needsOf(() => true),
  questions: needsOf(({ type }) => type === 'question'),
  decisions: needsOf(({ type }) => type === 'decision'),
  approvals: needsOf(({ type }) => type === 'approval'),
  frames: framesOf(undefined, 'frameId'),
  handovers: framesOf('kind:agent_handover', 'frameId'),
  events: framesOf(undefined, 'eventId'),
  threads: asked(async (client) => {
    const { items } = await client.threads({})
    return items.map(({ corr, intent }) => ({ word: corr, says: intent }))
  }),
  keys: own(({ environment }) =>
    new KeyFolder(environment)
      .read()
      .keys.map(({ kid, entities }) => ({ word: kid, says: entities.join(', ') })),
  ),
  links: own(({ environment }) =>
    readLinks(stateDir(environment), environment.uid).map(({ name }) => ({ word: name, says: 'a link' })),
  ),
  handles: own(({ environment }) => {
    const { principal, declared } = new AuthorityFolder(environment).handles()
    return [principal, ...declared.map(({ handle }) => handle)].map((word) => ({
      word,
      says: 'a handle of yours',
    }))
  }),
  orgs: own(({ environment }) =>
    [...new AuthorityFolder(environment).charters().keys()].map((id) => ({
      word: `~${id}`,
      says: 'an organisation',
    })),
  ),
  accords: own(({ environment }) =>
    [...new AuthorityFolder(environment).accords().keys()].map((word) => ({ word, says: 'an accord' })),
  ),
}

/** What a lease is on, as it is written in this folder: nearer than the folder above it, or whole. */
function typedFrom(folder: string, { resource, path, worktree }: LeaseLine): string {
  const absolute = worktree === undefined ? resource : join(worktree, path)
  if (!isAbsolutePath(absolute)) return resource
  const near = relative(realpathSync(folder), absolute)
  return near === '' || near.startsWith('..') ? absolute : near
}

/** Of the daemon that runs. */
function asked(ask: (client: AgentdClient) => Promise<readonly Candidate[]>): Find {
  return async ({ connect }) => {
    const client = await connect()
    try {
      return await ask(client)
    } finally {
      await client.close()
    }
  }
}

/** Of this person's own files. */
function own(read: (surroundings: Surroundings) => readonly Candidate[]): Find {
  return (surroundings) => Promise.resolve(read(surroundings))
}

function needsOf(isMeant: (need: PersonNeed) => boolean): Find {
  return asked(async (client) => {
    const { needs } = await client.needs()
    return needs.filter(isMeant).map(({ needId, text }) => ({ word: needId, says: text }))
  })
}

/** The newest first. */
function framesOf(filter: string | undefined, id: 'frameId' | 'eventId'): Find {
  return asked(async (client) => {
    const since = new Date(Date.now() - RECENT_MS).toISOString()
    const { items } = await client.history({ filter, since, limit: MAX_FRAMES })
    return items.toReversed().map(({ eventId, frame }) => ({
      word: id === 'eventId' ? eventId : frame.frame_id,
      says: `${frame.kind}: ${summarise(frame)}`,
    }))
  })
}
