/**
 * Every sentence of both drafts and of AEE's README has a row in docs/requirements.md §15, and every row something that
 * shows it, or a word that says why there is nothing to show.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSo } from '../support/needs.ts'
import { pageText } from '../support/references.ts'
import {
  INDEX,
  TABLES,
  clauseRows,
  idsCited,
  rowsBelow,
  sentencesListed,
  shownBy,
  textOfWitness,
  type ClauseRow,
  type Specification,
} from './clause-rows.ts'
import { hashOf, sentencesOfDraft, sentencesOfMemo, sentencesOfReadme } from './sentences.ts'

/** Why a sentence needs nothing that shows it. */
const WORDS: ReadonlySet<string> = new Set([
  'advice',
  'boilerplate',
  'definition',
  'heading',
  'rationale',
  'reference',
])

const SPECIFICATIONS = ['memo', 'aee', 'readme'] as const satisfies readonly Specification[]

const ROWS = SPECIFICATIONS.flatMap(clauseRows)

/** What is wrong with what a row is shown by; empty when nothing is. */
function faultsOf({ ids, witnesses, why }: Pick<ClauseRow, 'ids' | 'witnesses' | 'why'>): string[] {
  if (why !== undefined) return WORDS.has(why) ? [] : [`"${why}" is no reason`]
  const cited = witnesses.map((witness) => {
    const text = textOfWitness(witness)
    return { ...witness, text, ids: idsCited(text ?? '') }
  })
  const idle = cited.filter(({ text, title, ids: own }) =>
    title === undefined ? !ids.some((id) => own.has(id)) : text?.includes(title) !== true,
  )
  const unshown = ids.filter((id) => !cited.some((witness) => witness.ids.has(id)))
  return [
    ...(witnesses.length === 0 ? ['nothing shows it'] : []),
    ...idle.map(({ name, title }) => `${name} says nothing of it${title === undefined ? '' : `: ${title}`}`),
    ...unshown.map((id) => `nothing that is named cites ${id}`),
  ]
}

test.each(SPECIFICATIONS)('every sentence of %s has a row, and no row is about another', (specification) => {
  const listed = sentencesListed(specification)
  const told = new Set(clauseRows(specification).flatMap(({ sentences }) => sentences))

  expect(listed.length).toBeGreaterThan(150)
  expect(listed.filter((sentence) => !told.has(sentence))).toEqual([])
  expect([...told].filter((sentence) => !listed.includes(sentence))).toEqual([])
})

test('what shows a clause is there and cites its ids, or holds the title that is named', () => {
  const wrong = ROWS.flatMap((row) => faultsOf(row).map((fault) => `${row.clause}: ${fault}`))

  expect(ROWS.length).toBeGreaterThan(400)
  expect(wrong).toEqual([])
})

test('every requirement of both drafts stands in a row, and a MUST in one that something shows', () => {
  const rows = [...pageText('docs/requirements.md').matchAll(/^\| ((?:AC|AEE)-\d+) \| ([^|]*) \|/gm)]
  const shown = new Set(ROWS.flatMap(({ ids, why }) => (why === undefined ? ids : [])))
  const named = new Set(ROWS.flatMap(({ ids }) => ids))

  expect(rows.length).toBeGreaterThan(280)
  expect(rows.flatMap(([, id = '']) => (named.has(id) ? [] : [id]))).toEqual([])
  expect(
    rows.flatMap(([, id = '', level = '']) => (!level.includes('MUST') || shown.has(id) ? [] : [id])),
  ).toEqual([])
})

test('every companion has what is carried, a command, and what shows it', () => {
  const rows = rowsBelow('15.4')
  const companions = rows.map(([companion = '']) => companion)

  expect(companions).toEqual(
    expect.arrayContaining([
      'IDPRONOUNS',
      'MCPDNS',
      'IDCOMMITS',
      '`org:`',
      'IDACCORD',
      'SUBSTRATE',
      'VOLT',
      'WARD',
      'AOCL',
    ]),
  )
  for (const [companion, carried = '', , command, ids = '', shown = ''] of rows) {
    expect(carried, companion).not.toBe('')
    expect(command, companion).toMatch(/`agentd /)
    expect(faultsOf({ ids: [...idsCited(ids)], ...shownBy(shown) }), companion).toEqual([])
  }
})

/** The texts, where somebody has them: they are others', and not in the repository. */
const folder = process.env['AGENTD_SPECIFICATIONS'] ?? ''
const TEXTS = {
  memo: { file: 'agent-channel-memo.txt', sentencesIn: sentencesOfMemo },
  aee: { file: 'aee-draft.txt', sentencesIn: sentencesOfDraft },
  readme: { file: 'aee-readme.txt', sentencesIn: sentencesOfReadme },
}

test
  .runIf(
    isSo(existsSync(join(folder, TEXTS.memo.file)), 'AGENTD_SPECIFICATIONS names no folder with both drafts'),
  )
  .each(SPECIFICATIONS)(
  'the index has every sentence of the text of %s, in its order, and no other',
  (specification) => {
    const { file, sentencesIn } = TEXTS[specification]
    const sentences = sentencesIn(readFileSync(join(folder, file), 'utf8'))
    const listed = INDEX[specification].flatMap(([, hashes]) => hashes)

    expect(sentences.filter((sentence) => !listed.includes(hashOf(sentence)))).toEqual([])
    expect(sentences.map(hashOf)).toEqual(listed)
  },
)

test('the tables stand in the order of their texts', () => {
  for (const specification of SPECIFICATIONS) {
    const order = sentencesListed(specification)
    const places = clauseRows(specification).map(({ sentences }) => order.indexOf(String(sentences[0])))
    expect(places, TABLES[specification]).toEqual(places.toSorted((a, b) => a - b))
  }
})
