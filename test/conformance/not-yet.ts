/**
 * Vectors whose sentence the daemon does not keep yet: it takes a tier from the beginning of a handle (ACQ-11).
 */
export const NOT_YET: ReadonlySet<string> = new Set(['memo-3.2-acted_by-a-name-that-begins-like-a-product'])
