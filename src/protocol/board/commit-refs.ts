/** The commits that a frame's references name, as the hooks of git name them (docs/runtimes.md §5.4). */

const COMMIT_REF = /^commit:([0-9a-f]{40,64})$/

/** @param refs - of any kind; whatever is no text names none */
export function commitsIn(refs: readonly unknown[]): readonly string[] {
  return refs.flatMap((ref) => (typeof ref === 'string' ? (COMMIT_REF.exec(ref)?.slice(1) ?? []) : []))
}
