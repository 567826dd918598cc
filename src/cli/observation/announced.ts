/** Which sessions announced work on a file of a worktree, as any recipient works it out from the frames that say so. */
import { isWithin } from '../../host/observation/observed-process.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import { placeEntries } from '../../protocol/board/placed.ts'
import type { ChangedFile } from './changed-files.ts'
import type { Told } from './told.ts'

/** A file that is not as it was committed, and what was announced of it; undefined where nobody was there to ask. */
export interface AnnouncedFile extends ChangedFile {
  readonly announcedBy: readonly BoardEntry[] | undefined
}

/** Where a file is, and the roots of all worktrees of its repository. */
interface FilePlace {
  readonly worktree: string
  readonly repository: string
  readonly roots: readonly string[]
}

/** What is announced of it in this worktree, the newest last. @param path - within the worktree */
export function announcersOf(
  path: string,
  { worktree, repository, roots }: FilePlace,
  told: Told | undefined,
): readonly BoardEntry[] | undefined {
  if (told === undefined) return undefined
  const file = { path, absolute: `${worktree}/${path}`, worktree, repository }
  const placed = placeEntries(told.board.naming(file), file, {
    locate(place) {
      const root = roots.find((one) => isWithin(place, [one]))
      return root === undefined ? undefined : { real: place, worktree: root, repository }
    },
    placeOf(from) {
      const session = told.sessions.find(({ address }) => address === from)
      return (
        session && { worktree: session.worktree ?? undefined, repository: session.repository ?? undefined }
      )
    },
  })
  return placed.filter(({ where }) => where === 'here').map(({ entry }) => entry)
}
