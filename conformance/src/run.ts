/**
 * The vectors put to an implementation, one after the other.
 */
import { AdapterError, type Adapter, type Answer } from './adapter.ts'
import { judge, showAnswer } from './judge.ts'
import { Writer } from './values.ts'
import type { Samples, Vector } from './vector.ts'

/** How a vector came out; `told` is an open one that was answered. */
export type Outcome = 'pass' | 'fail' | 'told' | 'unsupported'

/** One vector with how it came out, and for people what was wrong with the answer, or what an open one was answered. */
export interface Result {
  readonly vector: Vector
  readonly outcome: Outcome
  readonly remark: string | undefined
}

/** Puts every vector to the implementation. @throws AdapterError when it cannot be reached any more */
export async function runVectors(
  vectors: readonly Vector[],
  samples: Samples,
  adapter: Adapter,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const vector of vectors) results.push(await runVector(vector, samples, adapter))
  return results
}

async function runVector(vector: Vector, samples: Samples, adapter: Adapter): Promise<Result> {
  const writer = new Writer(samples, Date.now())
  const input = writer.writeObject(vector.input)
  const expected = vector.expect.map((one) => writer.writeObject(one))
  const answer = await askOnce(adapter, { op: vector.op, ...input }, vector.id)
  if (answer['unsupported'] === true) return { vector, outcome: 'unsupported', remark: undefined }
  const complaints = expected.map((one) => judge(answer, one, input))
  const isMet = complaints.includes(undefined)
  if (vector.basis === 'open') return { vector, outcome: 'told', remark: showAnswer(answer) }
  return { vector, outcome: isMet ? 'pass' : 'fail', remark: isMet ? undefined : complaints[0] }
}

async function askOnce(adapter: Adapter, question: { readonly op: string }, id: string): Promise<Answer> {
  try {
    return await adapter.ask({ ...question })
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error
    throw new AdapterError(`${id}: ${error.message}`, { cause: error })
  }
}

/** A fault that decides how the run ends: what a draft's text demands, and was not met. */
export function isTextFailure({ vector, outcome }: Result): boolean {
  return outcome === 'fail' && vector.basis === 'text' && vector.level === 'must'
}
