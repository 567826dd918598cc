/**
 * The vectors of the kit for tests of single functions: what is data there is not written here again.
 */
import { join } from 'node:path'
import { Writer } from '../../conformance/src/values.ts'
import { readSamples, readVectors, type Vector } from '../../conformance/src/vector.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'conformance', 'vectors')

const VECTORS = readVectors(FOLDER)
const SAMPLES = readSamples(FOLDER)

/** A vector with its question written out. Open ones say nothing about what is right, and are left out. */
export type WrittenVector = Pick<Vector, 'id' | 'input' | 'expect'>

export function vectorsOf(op: string): readonly WrittenVector[] {
  const own = VECTORS.filter((vector) => vector.op === op && vector.basis !== 'open')
  return own.map(({ id, input, expect }) => ({
    id,
    expect,
    input: new Writer(SAMPLES, Date.now()).writeObject(input),
  }))
}

/** The text that is asked about in the vectors of an operation, those that are taken or those that are refused. */
export function textsOf(op: string, member: string, isTaken: boolean): readonly string[] {
  return vectorsOf(op)
    .filter(({ expect: [first] }) => first?.['ok'] === isTaken)
    .map(({ input }) => String(input[member]))
}

/** @throws Error when there is no vector of that id */
export function vectorAt(id: string): WrittenVector {
  const vector = VECTORS.find((one) => one.id === id)
  if (vector === undefined) throw new Error(`there is no vector ${id}`)
  return { id, expect: vector.expect, input: new Writer(SAMPLES, Date.now()).writeObject(vector.input) }
}
