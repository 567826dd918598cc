/**
 * A look at a file that somebody else wrote and that may be anything: bounded, waiting for nobody, and with the reason
 * where it shows nothing. No link is followed.
 */
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import type { Stats } from 'node:fs'
import { systemErrorCode } from '../core/thrown.ts'

/** What a look showed. */
export type Peeked =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'absent' }
  /** @property why - the end of a sentence that begins with its path */
  | { readonly kind: 'unreadable'; readonly why: string }

/** How much of a file is looked at, in octets, and from which end; of the last, none that stand before `from`. */
export interface PeekBounds {
  readonly most: number
  readonly end?: 'first' | 'last'
  readonly from?: number
}

/** The first or the last octets of a regular file, as UTF-8. */
export async function peekFile(path: string, { most, end = 'first', from = 0 }: PeekBounds): Promise<Peeked> {
  try {
    const found = await lstat(path)
    if (!found.isFile()) return { kind: 'unreadable', why: whyNoFile(found) }
    // What becomes a FIFO between the two looks must not hold anybody up.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const opened = await file.stat()
      if (!opened.isFile()) return { kind: 'unreadable', why: whyNoFile(opened) }
      const first = end === 'first' ? from : Math.max(from, opened.size - most)
      const bytes = Buffer.alloc(Math.min(most, Math.max(0, opened.size - first)))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, first)
      const isCut = first > from || first + bytesRead < opened.size
      return { kind: 'text', text: bytes.toString('utf8', 0, bytesRead), isCut }
    } finally {
      await file.close()
    }
  } catch (error) {
    return isAbsence(error) ? { kind: 'absent' } : { kind: 'unreadable', why: whyNot(error) }
  }
}

/** Whether it says that nothing is there. */
export function isAbsence(thrown: unknown): boolean {
  const code = systemErrorCode(thrown)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Why the system did not show something, as the end of a sentence. */
export function whyNot(thrown: unknown): string {
  const code = systemErrorCode(thrown)
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by you'
  return `cannot be read (${code ?? 'unknown'})`
}

function whyNoFile(found: Stats): string {
  if (found.isDirectory()) return 'is a folder'
  if (found.isSymbolicLink()) return 'is a link, which is not followed'
  return found.isFIFO() ? 'is a FIFO' : 'is no file'
}
