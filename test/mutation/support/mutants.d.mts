/** One change of one file; the offsets are into its source. */
export interface Mutant {
  readonly id: string
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly text: string
  readonly what: string
  readonly was: string
}

export function filesOf(path: string): readonly string[]
export function mutantsOf(file: string): readonly Mutant[]
