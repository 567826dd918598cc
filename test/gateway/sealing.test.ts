/**
 * Who can open what is sealed, as estates follow each other (FED-43, FED-46).
 */
import { describe, expect, test } from 'vitest'
import { MAX_ESTATE_SEALS, withSeal, type EstateSeal } from '../../src/authority/estate-seals.ts'
import type { EstateNode } from '../../src/authority/estate.ts'
import { orRefusal } from '../../src/core/thrown.ts'
import { Sealing } from '../../src/gateway/seal/sealing.ts'
import { createNodeKey } from '../../src/link/keys/node-key.ts'
import { formatPresence } from '../../src/link/presence.ts'
import { wrapNewKey } from '../../src/link/sealing/realm-key.ts'

const AT_MS = Date.parse('2026-11-23T12:00:00Z')
const PLACE = { subject: 'agentd.p.alice.l.laptop', e: '6f1c-41' }

interface Document {
  readonly authorityEpoch: number
  readonly body: {
    readonly principal: string
    readonly nodes: readonly EstateNode[]
    readonly seals: readonly EstateSeal[]
  }
}

/** The estates of a person, one after another, and what each machine makes of them. */
class Estates {
  #document: Document = { authorityEpoch: 0, body: { principal: '~alice', nodes: [], seals: [] } }
  readonly #machines = new Map<string, ReturnType<typeof createNodeKey>>()
  wished: 'realm' | undefined = 'realm'

  /** Signs the next one, of these. @param isSealed - with a key */
  sign(nodes: readonly string[], isSealed = true): void {
    for (const node of nodes) if (!this.#machines.has(node)) this.#machines.set(node, createNodeKey())
    const named = nodes.map((node) => ({ node, key: this.#machines.get(node)?.publicX ?? '' }))
    const epoch = this.#document.authorityEpoch + 1
    const { principal, seals } = this.#document.body
    const next = isSealed ? withSeal(seals, wrapNewKey({ principal, epoch }, named)) : []
    this.#document = { authorityEpoch: epoch, body: { principal, nodes: named, seals: next } }
  }

  /** A machine that has the newest. */
  at(node: string, realm: 'p.alice' | 'o.acme' = 'p.alice'): Sealing {
    const estate = { document: this.#document }
    const { seed = '' } = this.#machines.get(node) ?? {}
    const file = { realm, node, node_key: seed }
    return new Sealing({ name: 'home', file, estate, wished: () => this.wished, nowMs: () => AT_MS })
  }
}

const sealedBy = (sealing: Sealing, text = 'heron'): string => sealing.seal(text, PLACE) ?? 'nothing'
const openedBy = (sealing: Sealing, line: string): unknown =>
  orRefusal(() => sealing.open(line, PLACE.subject))

describe('between machines of one person', () => {
  test('who is revoked opens what came before and nothing that comes after; who stays opens both (FED-43, FED-46)', () => {
    const estates = new Estates()
    estates.sign(['laptop', 'devbox', 'lost'])
    const before = sealedBy(estates.at('laptop'))
    const lost = estates.at('lost')
    estates.sign(['laptop', 'devbox'])
    const after = sealedBy(estates.at('laptop'))
    const knowing = estates.at('lost')
    const devbox = estates.at('devbox')

    expect([before, after].map((line) => openedBy(devbox, line))).toEqual([
      { text: 'heron', e: PLACE.e, wasSealed: true },
      { text: 'heron', e: PLACE.e, wasSealed: true },
    ])
    expect(openedBy(lost, before)).toMatchObject({ text: 'heron' })
    expect(openedBy(knowing, after)).toMatchObject({ code: 'scope-unauthorised', field: 'k' })
    expect([knowing.trouble === undefined, knowing.state, sealedBy(knowing)]).toEqual([
      false,
      'held',
      'nothing',
    ])
  })

  test('who is invited opens what comes then, and not what was sealed before (FED-46)', () => {
    const estates = new Estates()
    estates.sign(['laptop'])
    const before = sealedBy(estates.at('laptop'))
    estates.sign(['laptop', 'devbox'])
    const devbox = estates.at('devbox')

    expect(openedBy(devbox, before)).toMatchObject({ code: 'scope-unauthorised' })
    expect(openedBy(devbox, sealedBy(estates.at('laptop')))).toMatchObject({ text: 'heron' })
  })

  test('an estate of an older agentd has no key: nothing leaves, and all who have none are named (FED-46)', () => {
    const estates = new Estates()
    estates.sign(['laptop', 'devbox'])
    expect([estates.at('laptop').state, estates.at('laptop').without]).toEqual(['sealed 1', []])
    estates.sign(['laptop', 'devbox'], false)
    const laptop = estates.at('laptop')

    expect(laptop.trouble).toMatch(/^nothing leaves unsealed/)
    expect([sealedBy(laptop), laptop.without]).toEqual(['nothing', ['laptop', 'devbox']])
  })

  test(`the keys of ${MAX_ESTATE_SEALS} estates are kept, and no more (FED-46)`, () => {
    const estates = new Estates()
    estates.sign(['laptop'])
    const oldest = sealedBy(estates.at('laptop'))
    estates.sign(['laptop'])
    const second = sealedBy(estates.at('laptop'))
    for (let more = 1; more < MAX_ESTATE_SEALS; more += 1) estates.sign(['laptop'])
    const laptop = estates.at('laptop')

    expect(openedBy(laptop, oldest)).toMatchObject({ code: 'scope-unauthorised' })
    expect(openedBy(laptop, second)).toMatchObject({ text: 'heron' })
  })

  test('of many machines the keys of fewer estates are, the newest always (FED-46)', () => {
    const nodes = Array.from({ length: 250 }, (_, i) => ({ node: `n${i}`, key: createNodeKey().publicX }))
    const of = (epoch: number): EstateSeal => wrapNewKey({ principal: '~alice', epoch }, nodes)

    expect(withSeal([of(1)], of(2)).map(({ epoch }) => epoch)).toEqual([2])
  })

  test('who is there is sealed too; that a machine left may be told plain (FED-46, FED-51)', () => {
    const estates = new Estates()
    estates.sign(['laptop', 'devbox'])
    const here = formatPresence({ sent_at: AT_MS, state: 'here', speaks: [1], sessions: [] })
    const left = formatPresence({ sent_at: AT_MS, state: 'left', speaks: [1], sessions: [] })
    const { subject } = PLACE
    const devbox = estates.at('devbox')
    const read = (text: string) => orRefusal(() => devbox.readPresence(text, subject))

    expect(read(estates.at('laptop').seal(here, { subject }) ?? '')).toMatchObject({ state: 'here' })
    expect(read(left)).toMatchObject({ state: 'left' })
    expect(read(here)).toMatchObject({ code: 'scope-unauthorised' })
    estates.wished = undefined
    expect(read(here)).toMatchObject({ state: 'here' })
  })
})

test('a link to others is not sealed: nothing leaves over it, and what to do is said (FED-46)', () => {
  const estates = new Estates()
  estates.sign(['laptop'])
  const laptop = estates.at('laptop', 'o.acme')

  expect(laptop.trouble).toBe(
    'links.home.seal is for links between your own machines alone, and this one leads to others; take it out of the configuration',
  )
  expect(sealedBy(laptop)).toBe('nothing')
})
