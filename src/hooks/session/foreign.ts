/**
 * What other principals sent over a link: shown where the person wishes it, and otherwise one line that says how much of whom
 * waits (FED-64).
 */
import type { Broker } from '../../broker/broker.ts'
import type { LeftForeign } from '../../broker/inbox/foreign.ts'
import { readEventId } from '../../protocol/address/event-id.ts'
import { foreignHandle, wordForeign, type ForeignWish } from '../../protocol/address/foreign.ts'
import { SILENCE, type HookAnswer } from '../../runtimes/events/answer.ts'
import { lineMark } from '../../runtimes/events/line-mark.ts'
import { withKeys } from '../memory/hook-state.ts'
import type { HookContext } from './context.ts'

/** After these, what was told before is no longer in the context. */
const FORGETS = new Set(['clear', 'compact'])

/** Whether what a node sent may be put into a model's context. */
export function mayShow({ hooks }: HookContext, node: string | undefined): boolean {
  return foreignHandle(node, hooks.broker.authority) === undefined || hooks.settings.get().foreign === 'show'
}

/** Once for what has come: it goes on waiting, and each prompt would say so again. */
export function tellForeign(context: HookContext, { counts, newest }: LeftForeign): HookAnswer {
  const words = wordForeign(counts)
  if (words === undefined || newest === undefined) return SILENCE
  const key = `foreign:${context.hooks.broker.ring.eventId(newest)}`
  const { event, nowMs, state } = context
  if (state?.shown.has(key) === true && !FORGETS.has(event.cause ?? '')) return SILENCE
  return {
    context: `${lineMark()} Waiting: ${words}. They are for the user to read.`,
    settle: () =>
      void context.remember((current) => ({ ...current, shown: withKeys(current.shown, [key], nowMs) })),
  }
}

/** What is asked. */
interface Knowing {
  readonly broker: Pick<Broker, 'authority' | 'ring'>
  readonly settings: { get(): { readonly foreign: ForeignWish } }
}

/** The same for those who know an item by its event alone. */
export class ForeignItems {
  readonly #hooks: Knowing

  constructor(hooks: Knowing) {
    this.#hooks = hooks
  }

  /** What is done with them just now. */
  get wish(): ForeignWish {
    return this.#hooks.settings.get().foreign
  }

  /** The other principal that an event is of; undefined for what is one's own, and for what is retained no more. */
  handleOf(eventId: string): string | undefined {
    const { authority, ring } = this.#hooks.broker
    const place = readEventId(eventId)
    const retained = place?.epoch === ring.epoch ? ring.get(place.seq) : undefined
    return foreignHandle(retained?.origin?.node, authority)
  }
}
