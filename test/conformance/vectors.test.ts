/**
 * The vectors as data: each with where it comes from, each clause with a vector or a reason why it has none.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Writer } from '../../conformance/src/values.ts'
import { readSamples, readVectors } from '../../conformance/src/vector.ts'
import { listedIds } from '../support/references.ts'
import { VECTORS } from './kit.ts'

const vectors = readVectors(VECTORS)

/** Why → the clauses that no vector can show. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = z
  .record(z.string(), z.array(z.string()))
  .parse(JSON.parse(readFileSync(join(VECTORS, '..', 'without-vectors.json'), 'utf8')))

/** Ids of what the drafts demand, and of our readings of them. */
const CLAUSE = /^(?:AC|ACQ|AEE|AEQ|SSE)-/

test('each vector has an id of its own, and says where it comes from (PD-14)', () => {
  const ids = vectors.map(({ id }) => id)

  expect(vectors.length).toBeGreaterThan(1_200)
  expect(ids.length - new Set(ids).size).toBe(0)
  expect(vectors.filter(({ sentence, clauses }) => sentence.length < 5 || clauses.length === 0)).toEqual([])
  for (const draft of ['memo', 'aee', 'aee-readme', 'volt', 'ward'])
    expect(
      vectors.some((vector) => vector.draft === draft),
      draft,
    ).toBe(true)
})

test('of both drafts there are vectors of each basis, taken ones and refused ones (PD-14)', () => {
  for (const draft of ['memo', 'aee']) {
    const own = vectors.filter((vector) => vector.draft === draft)
    for (const basis of ['text', 'local', 'open']) {
      const some = own.filter((vector) => vector.basis === basis)
      expect(some.length, `${draft} ${basis}`).toBeGreaterThan(4)
    }
    const isTaken = (ok: boolean): number => own.filter(({ expect: [first] }) => first?.['ok'] === ok).length
    expect(Math.min(isTaken(true), isTaken(false)), draft).toBeGreaterThan(100)
  }
})

test('each clause of both drafts has a vector, or a reason why it has none (PD-14)', () => {
  const clauses = [...listedIds()].filter((id) => CLAUSE.test(id))
  const shown = new Set(vectors.flatMap((vector) => vector.clauses))
  const excused = Object.values(WITHOUT).flat()

  expect(clauses.length).toBeGreaterThan(350)
  expect(clauses.filter((id) => !shown.has(id) && !excused.includes(id))).toEqual([])
  expect(excused.filter((id) => shown.has(id) || !clauses.includes(id))).toEqual([])
  expect([...shown].filter((id) => !clauses.includes(id))).toEqual([])
  expect(Object.keys(WITHOUT).filter((reason) => reason.length < 20)).toEqual([])
})

test('an open vector is open for the draft, and one that is not says one thing (PD-14)', () => {
  const open = vectors.filter(({ basis }) => basis === 'open')

  expect(open.length).toBeGreaterThan(20)
  expect(open.filter(({ expect: answers }) => answers.length < 2).map(({ id }) => id)).toEqual([])
  const both = vectors.filter(
    ({ basis, expect: answers }) => basis !== 'open' && new Set(answers.map(({ ok }) => ok)).size > 1,
  )
  expect(both.map(({ id }) => id)).toEqual([])
})

test('every word of a vector is written out: no question holds one (PD-14)', () => {
  const samples = readSamples(VECTORS)
  const written = vectors.map(({ input }) => JSON.stringify(new Writer(samples, 0).writeObject(input)))

  expect(written.filter((text) => /"\$[a-z]+":/.test(text))).toEqual([])
})
