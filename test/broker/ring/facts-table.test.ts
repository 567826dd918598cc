/** What retained items differ in, under numbers: bounded, given back, and never wrong about a kind (HD-12). */
import { expect, test } from 'vitest'
import { FactsTable, MAX_FACTS, type Search } from '../../../src/broker/ring/facts-table.ts'
import { ENVELOPE_KIND } from '../../../src/broker/ring/retained.ts'
import { parseFilter } from '../../../src/protocol/frame/filter.ts'

const ADVISORY = { kind: 'agent_advisory', senderHandle: '~alice', tool: 'cc', scopeText: '~alice/*' }

function searchOf(filter: string, more: Partial<Search> = {}): Search {
  return { filter: parseFilter(filter), handle: undefined, withEnvelopes: false, ...more }
}

/** Of these numbers those a search admits. */
function admittedOf(table: FactsTable, search: Search, codes: readonly number[]): readonly number[] {
  const { codes: admitted } = table.admitted(search)
  return codes.filter((code) => admitted[code] === 1)
}

test('items that a filter cannot tell apart have one number, and each other one its own', () => {
  const table = new FactsTable()

  const codes = [
    ADVISORY,
    { ...ADVISORY, scopeText: '~alice/cc@s1' },
    { ...ADVISORY, tool: undefined },
    { ...ADVISORY, kind: 'agent_query' },
    { ...ADVISORY, scopeText: '~bob/*' },
    ADVISORY,
  ].map((item) => table.take(item))

  expect(codes).toEqual([1, 1, 2, 3, 4, 1])
})

test('a search admits by kind, tool, sender and the handle a scope names, and envelopes where they are wanted', () => {
  const table = new FactsTable()
  const [alice, toBob, query, envelope] = [
    ADVISORY,
    { ...ADVISORY, scopeText: '~bob/cc@s1' },
    { ...ADVISORY, kind: 'agent_query', senderHandle: '~bob', tool: 'codex' },
    { ...ADVISORY, kind: ENVELOPE_KIND, scopeText: 'agent.a' },
  ].map((item) => table.take(item))
  const all = [alice!, toBob!, query!, envelope!]
  const admits = (filter: string, more?: Partial<Search>) => admittedOf(table, searchOf(filter, more), all)

  expect(admits('')).toEqual([alice, toBob, query])
  expect(admits('kind:agent_advisory')).toEqual([alice, toBob])
  expect(admits('tool:codex')).toEqual([query])
  expect(admits('sender:~alice', { withEnvelopes: true })).toEqual([alice, toBob, envelope])
  expect(admits('', { handle: '~bob' })).toEqual([toBob, query])
  expect(admits('org:acme')).toEqual([])
})

test('a number is given back with the last item that has it, and goes to the next that is new', () => {
  const table = new FactsTable()
  const first = table.take(ADVISORY)
  table.take(ADVISORY)
  table.release(first)
  const isStillThere = table.size

  table.release(first)
  const next = table.take({ ...ADVISORY, kind: 'agent_query' })

  expect([isStillThere, table.size, next]).toEqual([1, 1, first])
  expect(admittedOf(table, searchOf('kind:agent_advisory'), [first])).toEqual([])
})

test('one more combination than there are numbers for is known by its kind alone, and may be what a search wants', () => {
  const table = new FactsTable()
  for (let i = 0; i < MAX_FACTS; i += 1) table.take({ ...ADVISORY, tool: `tool${i}` })

  const beyond = table.take({ ...ADVISORY, tool: 'beyond', kind: 'agent_query' })
  const alike = table.take({ ...ADVISORY, tool: 'other', kind: 'agent_query' })

  expect([alike, table.size]).toEqual([beyond, MAX_FACTS + 1])
  expect(admittedOf(table, searchOf('kind:agent_query,tool:beyond', { handle: '~bob' }), [beyond])).toEqual([
    beyond,
  ])
  expect(admittedOf(table, searchOf('kind:agent_advisory'), [beyond])).toEqual([])
})
