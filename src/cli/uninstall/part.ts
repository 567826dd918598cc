/**
 * One part of agentd on this machine: looked at before a person is asked, and taken out by itself, whatever becomes of
 * the others.
 */
import { diagnose, type Diagnosis } from '../run/diagnose.ts'
import type { SummaryRow } from '../setup/summary.ts'

/** A part as it was found. */
export interface Part {
  /** What is shown before the question; none where there is nothing of it. */
  readonly rows: readonly SummaryRow[]
  take(): Promise<Taken>
}

/** What came of taking it out. */
export interface Taken {
  /** Lines for people, in the order in which things happened; safe to print. */
  readonly lines: readonly string[]
  readonly notes: readonly string[]
  /** What is still there, and why. */
  readonly failures: readonly Diagnosis[]
  /** Members of the answer to a program. */
  readonly data: object
}

/** Looks at a part; one that cannot be looked at is one that cannot be taken out. */
export async function lookAt(look: () => Promise<Part>): Promise<Part> {
  try {
    const part = await look()
    return { rows: part.rows, take: () => part.take().catch(failed) }
  } catch (error) {
    return { rows: [], take: () => Promise.resolve(failed(error)) }
  }
}

function failed(error: unknown): Taken {
  return { lines: [], notes: [], failures: [diagnose(error)], data: {} }
}
