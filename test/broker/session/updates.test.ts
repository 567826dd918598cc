/** What an update of a registration leaves out, and what it takes back (docs/http.md §4). */
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../../support/refusals.ts'
import { Workbench } from '../workbench.ts'

const NAMED = { instrument: 'cc', session_id: 's1' }

/** Everything a session may say of itself. */
const TOLD = {
  tool: 'cc',
  drafted_with: '~cc-opus-4-6',
  title: 'api refactor',
  cwd: '/home/alice/api',
  repository: '/home/alice/api/.git',
  worktree: '/home/alice/api',
  branch: 'main',
  pid: 41,
  agent: true,
  entities: ['agent.reviewer', 'bus.ops'],
  delivery: { busy: 'hook', idle: 'inbox' },
}

/** What it is remembered as. */
const KNOWN = {
  tool: 'cc',
  draftedWith: '~cc-opus-4-6',
  title: 'api refactor',
  cwd: '/home/alice/api',
  repository: '/home/alice/api/.git',
  worktree: '/home/alice/api',
  branch: 'main',
  pid: 41,
  isAgent: true,
  entities: ['agent.reviewer', 'bus.ops'],
  delivery: { busy: 'hook', idle: 'inbox' },
}

/** As nobody has ever said it. */
const FORGOTTEN = {
  ...Object.fromEntries(Object.keys(KNOWN).map((name) => [name, undefined])),
  tool: 'other',
  draftedWith: '~cc',
  entities: [],
}

function told(): { bench: Workbench; held: ReturnType<Workbench['register']> } {
  const bench = new Workbench()
  bench.processes.set(41, 'life')
  return { bench, held: bench.register({ ...NAMED, ...TOLD, mailbox: true }) }
}

describe('an update', () => {
  test.each(Object.keys(TOLD))('that says nothing but %s keeps everything else (docs/http.md §4)', (name) => {
    const { bench, held } = told()

    const { kind } = bench.register({ ...NAMED, [name]: Reflect.get(TOLD, name) }, held)

    expect(kind).toBe('updated')
    expect(held.session.facts).toMatchObject(KNOWN)
    expect(held.session.mailbox).toBeDefined()
  })

  test('of the name alone changes nothing, and an agent stays the entity it is called', () => {
    const { bench, held } = told()
    const entities = [...held.session.entities]

    bench.register(NAMED, held)

    expect(held.session.facts).toMatchObject(KNOWN)
    expect(held.session.entities).toEqual(entities)
    expect(entities).toEqual(['agent.api-refactor', 'agent.reviewer', 'bus.ops'])
    expect(bench.tell({ from: 'agent.other', to: 'agent.api-refactor' })).toMatchObject({ queued_count: 1 })
  })

  test('takes back what it says null of, as if nobody had ever said it', () => {
    const { bench, held } = told()
    const nothing = Object.fromEntries(Object.keys(TOLD).map((name) => [name, null]))

    bench.register({ ...NAMED, ...nothing }, held)

    expect(held.session.facts).toMatchObject(FORGOTTEN)
    expect(held.session.entities).toEqual([])
    expect(held.session.mailbox).toBeDefined()
    bench.register({ ...NAMED, mailbox: null }, held)
    expect(held.session.mailbox).toBeUndefined()
  })

  test('of one who goes by its own handle need not say again what it drafts with', () => {
    const bench = new Workbench()
    const own = { ...NAMED, handle: '~cc-opus-4-6' }
    const held = bench.register({ ...own, drafted_with: '~cc-opus-4-6' })

    expect(bench.register({ ...own, title: 'x' }, held).kind).toBe('updated')
    expect(held.session.facts).toMatchObject({ handle: '~cc-opus-4-6', draftedWith: '~cc-opus-4-6' })
  })

  test('may not keep a person under a tool that is none', () => {
    const bench = new Workbench()
    const held = bench.register({ ...NAMED, tool: 'human', entities: ['human.alice'] })

    expect(refusalOf(() => bench.register({ ...NAMED, tool: 'cc' }, held))).toEqual({
      code: 'sender-identity-mismatch',
      field: 'entities[0]',
    })
    expect(held.session.facts).toMatchObject({ tool: 'human', entities: ['human.alice'] })
  })
})

test('who takes an address over says everything anew: it is nobody that was known (docs/http.md §4)', () => {
  const { bench, held } = told()
  bench.broker.sessions.close(held.session)

  const { session } = bench.register({ ...NAMED, title: null, entities: null }, held)

  expect(session.facts).toMatchObject(FORGOTTEN)
})
