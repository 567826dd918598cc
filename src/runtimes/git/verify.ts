/**
 * `agentd git verify`: commit by commit, what is said of who made it, whether that can be, and what the ring remembers.
 *
 * @see docs/runtimes.md §5.4; docs/requirements.md §§1.1, 1.3
 */
import { isAttributed, readAttribution, type Attribution } from './attribution.ts'
import { readCommits, type Commit } from './commits.ts'
import type { GitContext } from './repository.ts'
import { findWitnesses, type ReadPassed, type Witness } from './witness.ts'

/** `bare`: nobody is named. `doubtful`: well-formed, and something may be worth a look. */
export type AttributionVerdict = 'good' | 'doubtful' | 'bare' | 'wrong'

/** One commit, looked at. */
export interface VerifiedCommit extends Attribution {
  readonly sha: string
  readonly subject: string
  readonly committedMs: number
  readonly verdict: AttributionVerdict
  /** Undefined where no instrument is named: there is no session to look for. */
  readonly witness: Witness | undefined
}

/** What is looked at, and who remembers. */
export interface VerifyOptions {
  /** In git's own words; of none, what the upstream branch has not, or else all. */
  readonly range: string | undefined
  /** Undefined where there is no daemon to ask. */
  readonly read: ReadPassed | undefined
}

/** The newest first. @throws UsageError as {@link readCommits} does, and what reading the ring throws */
export async function verifyCommits(
  { range, read }: VerifyOptions,
  context: GitContext,
): Promise<readonly VerifiedCommit[]> {
  const commits = await readCommits(range, context)
  const attributed = commits.map((commit) => ({ commit, ...readAttribution(commit.trailers) }))
  const drafted = attributed.filter(({ draftedWith }) => draftedWith.length > 0)
  const found = drafted.length === 0 || read === undefined ? [] : await findWitnesses(drafted, read)
  const witnesses = new Map(drafted.map(({ commit }, i) => [commit, found[i]]))
  return attributed.map(({ commit, ...attribution }) =>
    toVerified(commit, attribution, witnesses.get(commit)),
  )
}

function toVerified(commit: Commit, attribution: Attribution, found: Witness | undefined): VerifiedCommit {
  const { sha, subject, committedMs } = commit
  const witness = attribution.draftedWith.length === 0 ? undefined : (found ?? { kind: 'unknown' as const })
  return { sha, subject, committedMs, ...attribution, verdict: judge(attribution, witness), witness }
}

function judge(attribution: Attribution, witness: Witness | undefined): AttributionVerdict {
  if (attribution.faults.length > 0) return 'wrong'
  if (!isAttributed(attribution)) return 'bare'
  return attribution.warnings.length > 0 || witness?.kind === 'silent' ? 'doubtful' : 'good'
}
