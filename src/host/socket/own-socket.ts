/**
 * Whose socket it is, looked at by a client before it says a word (HD-20): what it has to say is a token, or text that is
 * nobody else's business, and whoever else answers at the path gets both.
 *
 * Two looks at the file system, and light: the hook's short way bundles this file.
 */
import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { HostRefusal } from '../files/refusal.ts'

/** Root may do anything to anybody, so what belongs to root is no worse than what is the user's own. */
const ROOT = 0

/** Bits that let group or others put another socket in the place of this one. */
const OTHERS_WRITE = 0o022

/**
 * Why nothing may be said to the socket at `path`, as the end of a sentence; undefined when it may, and when there
 * is nothing in a folder that will do. A link is followed where nobody else can have made it; what it leads to is judged. Folders further up are not.
 *
 * @param path - absolute
 * @param uid - who asks; this process's user unless said otherwise
 */
export function socketFault(path: string, uid = ownUid()): string | undefined {
  try {
    const fault = folderFault(dirname(path), uid)
    if (fault !== undefined) return fault
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (!found.isSymbolicLink()) return ownerFault('it', found, uid)
    const real = realpathSync(path)
    return folderFault(dirname(real), uid) ?? ownerFault('what it leads to', statSync(real), uid)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    // Gone meanwhile, or a link to nowhere: there is nobody to say anything to.
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : `it cannot be examined (${code})`
  }
}

/** @throws HostRefusal where {@link socketFault} finds something */
export function requireOwnSocket(path: string, uid = ownUid()): void {
  const fault = socketFault(path, uid)
  if (fault !== undefined) throw new HostRefusal(`The socket ${path} is refused: ${fault}.`)
}

/** Its own link, or root's, may stand for the folder; a link of somebody else's can be turned at any moment. */
function folderFault(folder: string, uid: number): string | undefined {
  const named = lstatSync(folder)
  const isLink = named.isSymbolicLink()
  const name = `the directory ${folder}`
  if (isLink && !isTrusted(named, uid)) return foreign(`the link ${folder}`, named, uid)
  const found = isLink ? statSync(folder) : named
  if (!isTrusted(found, uid)) return foreign(name, found, uid)
  const mode = found.mode & 0o777
  if ((mode & OTHERS_WRITE) === 0) return undefined
  return `others may write ${name} (mode 0${mode.toString(8)}); run chmod go-w on it if it is yours`
}

function ownerFault(name: string, found: Stats, uid: number): string | undefined {
  return found.uid === uid ? undefined : foreign(name, found, uid)
}

function isTrusted(found: Stats, uid: number): boolean {
  return found.uid === uid || found.uid === ROOT
}

function foreign(name: string, found: Stats, uid: number): string {
  return `${name} belongs to uid ${found.uid}, not to uid ${uid}`
}

function ownUid(): number {
  return process.getuid?.() ?? -1
}
