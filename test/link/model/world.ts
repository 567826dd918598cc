/**
 * Three machines, one hub, and an oracle: what each machine has of each other one is that one's own order, nothing twice,
 * and whatever is missing was told as a hole before anything later was applied.
 */
import type { EstateNode } from '../../../src/authority/estate.ts'
import type { MissingPlaces } from '../../../src/link/marks.ts'
import { readEventId } from '../../../src/protocol/address/event-id.ts'
import { Engine } from './engine.ts'
import { Machine, type Passage, type Witness } from './machine.ts'

/** What was said somewhere, in the order of its origin. */
interface Said {
  readonly id: string
  /** Its number in the origin's ring, and the epochs in which it was called by it. */
  readonly seq: number
  readonly epochs: Set<string>
  /** Gone with a loss of power at its origin: nobody owes it to anybody. */
  isLost: boolean
  isSent: boolean
}

/** One thing that happens. */
export type Event =
  | {
      readonly does: 'submit' | 'trim-ring' | 'sync' | 'lose-power' | 'disconnect' | 'revoke'
      readonly who: number
      readonly count: number
    }
  | { readonly does: 'write'; readonly who: number; readonly count: number; readonly passage: Passage }
  | { readonly does: 'read'; readonly who: number; readonly count: number }
  | { readonly does: 'trim-stream' | 'lose-disk' | 'back-up' | 'rewind'; readonly count: number }

/** Reads and writes of one machine until it is done; far above what any run has. */
const MAX_STEPS = 10_000

export class World {
  readonly #engine = new Engine()
  readonly #said = new Map<string, Said[]>()
  /** Reader → ids of what is older than its join. */
  readonly #notOwed = new Map<string, Set<string>>()
  readonly #revoked = new Map<string, number>()
  readonly #machines: readonly Machine[]
  readonly #keys: readonly EstateNode[]
  /** Origins whose places were given new names, and those of which anything was trimmed or lost. */
  readonly #renamed = new Set<string>()
  #isTrimmed = false
  #nowMs = 1

  constructor() {
    const witness: Witness = {
      nowMs: () => (this.#nowMs += 1),
      estate: () => ({
        body: { principal: '~alice', nodes: this.#nodes() },
        notBeforeMs: undefined,
        notAfterMs: undefined,
      }),
      sent: (node, ids) => {
        for (const said of this.#of(node)) if (ids.includes(said.id)) said.isSent = true
      },
      joined: (reader) => this.#noteJoin(reader),
      applies: (reader, origin, id) => this.#requireOrder(reader, origin, id),
      knewById: (origin) => must(this.#renamed.has(origin), 'marks alone know what was here'),
      tellsHole: (origin) =>
        must(this.#isTrimmed || this.#renamed.has(origin), 'a hole is told of what is missing'),
    }
    this.#machines = ['laptop', 'devbox', 'ci'].map((name) => new Machine(name, this.#engine, witness))
    this.#keys = this.#machines.map(({ name, publicX }) => ({ node: name, key: publicX }))
  }

  happen(event: Event): void {
    if ('who' in event) return this.#happenTo(this.#machineAt(event.who), event)
    switch (event.does) {
      case 'trim-stream':
        this.#isTrimmed = true
        return this.#engine.trim(event.count)
      case 'back-up':
        return this.#engine.backUp()
      case 'lose-disk':
        this.#engine.loseDisk()
        return this.#disconnectAll()
      case 'rewind':
        this.#engine.rewind()
        return this.#disconnectAll()
    }
  }

  /** Everything heals, everybody says one thing more, and all is read. */
  settle(): void {
    this.#disconnectAll()
    for (const machine of this.#machines) {
      machine.read(1)
      this.#submit(machine)
    }
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const moves = this.#machines.map((machine) => machine.write('arrives', 7) || machine.read(5))
      if (!moves.includes(true)) break
    }
    for (const reader of this.#machines) for (const origin of this.#machines) this.#requireAll(reader, origin)
  }

  #happenTo(
    machine: Machine,
    event: Exclude<Event, { does: 'trim-stream' | 'lose-disk' | 'back-up' | 'rewind' }>,
  ): void {
    switch (event.does) {
      case 'submit':
        for (let i = 0; i < event.count; i += 1) this.#submit(machine)
        return undefined
      case 'write':
        machine.write(event.passage, event.count)
        return undefined
      case 'read':
        machine.read(event.count)
        return undefined
      case 'trim-ring':
        this.#isTrimmed = true
        return machine.trim(event.count)
      case 'sync':
        return machine.sync()
      case 'disconnect':
        return machine.disconnect()
      case 'revoke':
        if (!this.#revoked.has(machine.name)) this.#revoked.set(machine.name, this.#nowMs)
        return undefined
      case 'lose-power':
        return this.#losePower(machine)
    }
  }

  #submit(machine: Machine): void {
    const id = machine.submit()
    const { lastSeq: seq } = machine.store
    this.#of(machine.name).push({ id, seq, epochs: new Set([machine.epoch]), isLost: false, isSent: false })
  }

  #losePower(machine: Machine): void {
    machine.losePower()
    this.#renamed.add(machine.name)
    for (const said of this.#of(machine.name)) {
      if (said.seq > machine.store.lastSeq) said.isLost = true
      if (!said.isLost) said.epochs.add(machine.epoch)
    }
  }

  #noteJoin({ name }: Machine): void {
    const older = [...this.#said.values()].flatMap((all) =>
      all.slice(0, all.findLastIndex(({ isSent }) => isSent) + 1),
    )
    this.#notOwed.set(name, new Set(older.map(({ id }) => id)))
  }

  #requireOrder(reader: Machine, origin: string, id: string): void {
    const all = this.#of(origin)
    const at = all.findIndex((said) => said.id === id)
    // An origin with a new epoch may say again what it has; to whom it was too old, or told as missing, that is news; and a hub may have what it lost itself.
    if (this.#renamed.has(origin) && (all[at]?.isLost === true || this.#isExcused(reader, origin, all[at])))
      return
    const before = new Set(reader.store.applied.get(origin))
    const newest = all.findLastIndex((said) => before.has(said.id))
    must(at > newest, `${reader.name} has ${id} in the order of its origin`)
    this.#requireKnown(reader, origin, all.slice(0, at))
  }

  #requireAll(reader: Machine, origin: Machine): void {
    must(origin.fenced === undefined, `${origin.name} is the only one of its name`)
    if (reader === origin || this.#revoked.has(origin.name)) return
    this.#requireKnown(reader, origin.name, this.#of(origin.name))
  }

  /** Each is here, or was told missing, or nobody's to bring. */
  #requireKnown(reader: Machine, origin: string, all: readonly Said[]): void {
    const applied = new Set(reader.store.applied.get(origin))
    const silent = all.filter(
      (said) => !said.isLost && !applied.has(said.id) && !this.#isExcused(reader, origin, said),
    )
    must(silent.length === 0, `${reader.name} is told of ${silent.map(({ id }) => id).join(', ')} as missing`)
  }

  /** Older than the reader's join, or told as missing. */
  #isExcused(reader: Machine, origin: string, said: Said | undefined): boolean {
    if (said === undefined || this.#notOwed.get(reader.name)?.has(said.id) === true) return true
    return (reader.store.holes.get(origin) ?? []).some((hole) => covers(hole, said))
  }

  /** What is sent after a revocation is refused, so a lane ends with it. */
  #nodes(): readonly EstateNode[] {
    return this.#keys.map((one) => {
      const at = this.#revoked.get(one.node)
      return at === undefined ? one : { ...one, not_after: new Date(at).toISOString() }
    })
  }

  #disconnectAll(): void {
    for (const machine of this.#machines) machine.disconnect()
  }

  #machineAt(who: number): Machine {
    const machine = this.#machines[who]
    if (machine === undefined) throw new RangeError('no such machine')
    return machine
  }

  #of(name: string): Said[] {
    const said = this.#said.get(name) ?? []
    this.#said.set(name, said)
    return said
  }
}

/** @throws Error where it is not so */
function must(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`It does not hold that ${what}.`)
}

/** Whether what was said stands behind one place, up to another and with it. */
function covers({ from, to }: MissingPlaces, { seq, epochs }: Said): boolean {
  const [first, last] = [readEventId(from ?? ''), readEventId(to)]
  const isBehind = first === undefined || first.epoch !== last?.epoch || seq > first.seq
  if (last !== undefined && epochs.has(last.epoch)) return isBehind && seq <= last.seq
  return first !== undefined && first.epoch !== last?.epoch && epochs.has(first.epoch) && seq > first.seq
}
