/**
 * Which file somebody means who names one: a path within the worktree, one with `./` before it, an absolute one or a
 * `file://` address.
 */

/** A file as its own session knows it. */
export interface NamedFile {
  /** Relative to the worktree, without `./`. */
  readonly path: string
  readonly absolute: string
}

/** The path without what may stand before it. */
export function plainPath(resource: string): string {
  return resource.replace(/^(?:file:\/\/|\.\/)/, '')
}

export function isAbsolutePath(resource: string): boolean {
  return plainPath(resource).startsWith('/')
}

/**
 * The name under which a resource is looked for: a relative path by the whole of it, an absolute one by its last part,
 * since one of another worktree ends in the path that all worktrees share.
 */
export function lookupName(resource: string): string {
  const plain = plainPath(resource)
  return plain.startsWith('/') ? plain.slice(plain.lastIndexOf('/')) : plain
}

/** Whether somebody who names this resource may mean the file; in another repository it is another one. */
export function isNamed(resource: string, { path, absolute }: NamedFile): boolean {
  const plain = plainPath(resource)
  return plain === path || plain === absolute || (plain.startsWith('/') && plain.endsWith(`/${path}`))
}
