/**
 * Whether what is announced of a file of this name is about this file: where the file is and where its announcer works.
 *
 * Worktrees of one repository share the names of their files. In the same worktree two writers overwrite each other; in
 * another one the edits meet only when the branches do.
 *
 * @see PD-07, PD-08
 */
import type { BoardEntry } from './board-frame.ts'
import { plainPath, type NamedFile } from './resource-path.ts'

/** `here`: the same worktree. `elsewhere`: another one of the repository. `unknown`: it was not said where. */
export type Where = 'here' | 'elsewhere' | 'unknown'

/** A worktree, and the repository it is one of, as the git common directory; either may be unknown. */
export interface WorkingPlace {
  readonly repository: string | undefined
  readonly worktree: string | undefined
}

/** A file in its place. */
export interface PlacedFile extends NamedFile {
  readonly repository: string | undefined
  readonly worktree: string
}

/** What the frames do not say. Who must not wait for a disk answers from what was looked up before. */
export interface PlaceFacts {
  /** Where an absolute path leads to, and the worktree around it; undefined where that is not known. */
  readonly locate: (path: string) => (WorkingPlace & { readonly real: string }) | undefined
  /** Where a sender works, or worked; asked only for an entry that does not say where its file is. */
  readonly placeOf: (from: string) => WorkingPlace | undefined
  /** Whether an entry of another node is of the same repository; absent, none is known to be (FED-67). */
  readonly isOfSameRepository?: (entry: BoardEntry) => boolean
}

/** Somebody's announcement about a file, and where. */
export interface PlacedEntry<File> {
  readonly entry: BoardEntry
  readonly file: File
  readonly where: Where
}

/** The absolute paths that {@link PlaceFacts.locate} is going to be asked for, each once. */
export function pathsToLocate(entries: readonly BoardEntry[]): readonly string[] {
  const here = entries.filter(({ node }) => node === undefined)
  const paths = here.map(({ resource, worktree }) => worktree ?? plainPath(resource))
  return [...new Set(paths.filter((path) => path.startsWith('/')))]
}

/**
 * Those of the entries that are about the file: of one sender and one place the newest; leases stand for themselves.
 *
 * @param entries - what `Board.naming` gave for it
 */
export function placeEntries<File extends PlacedFile>(
  entries: readonly BoardEntry[],
  file: File,
  facts: PlaceFacts,
): readonly PlacedEntry<File>[] {
  const byTopic = new Map<string, PlacedEntry<File>>()
  for (const entry of entries) {
    const where = whereIs(entry, file, facts)
    if (where === undefined) continue
    const { leaseId = '', from, node = '', worktree = '' } = entry
    const topic = [leaseId, from, node, worktree, where].join('\0')
    byTopic.delete(topic)
    byTopic.set(topic, { entry, file, where })
  }
  return [...byTopic.values()]
}

/** @returns undefined for a file of the same name in another repository */
function whereIs(entry: BoardEntry, file: PlacedFile, facts: PlaceFacts): Where | undefined {
  // Never here, however equal the paths: they are another machine's.
  if (entry.node !== undefined)
    return facts.isOfSameRepository?.(entry) === true && isSamePath(entry, file) ? 'elsewhere' : undefined
  if (entry.worktree !== undefined) {
    return entry.worktree === file.worktree ? 'here' : whereAt(facts.locate(entry.worktree), file)
  }
  const plain = plainPath(entry.resource)
  if (plain.startsWith('/')) return whereOfFile(facts.locate(plain), file)
  const place = facts.placeOf(entry.from)
  return place === undefined ? 'unknown' : whereAt(place, file)
}

/** Whether it is the file within its repository, on whichever machine. */
function isSamePath({ resource, worktree }: BoardEntry, { path }: PlacedFile): boolean {
  const plain = plainPath(resource)
  return plain.startsWith('/')
    ? worktree !== undefined && plain === `${worktree.replace(/\/$/, '')}/${path}`
    : plain === path
}

function whereAt(place: WorkingPlace | undefined, file: PlacedFile): Where | undefined {
  if (place === undefined) return undefined
  if (place.worktree === file.worktree) return 'here'
  return place.repository !== undefined && place.repository === file.repository ? 'elsewhere' : undefined
}

function whereOfFile(found: ReturnType<PlaceFacts['locate']>, file: PlacedFile): Where | undefined {
  if (found?.real === file.absolute) return 'here'
  if (found?.worktree === undefined || found.repository !== file.repository) return undefined
  return found.real === `${found.worktree.replace(/\/$/, '')}/${file.path}` ? 'elsewhere' : undefined
}
