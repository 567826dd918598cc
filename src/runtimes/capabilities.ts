/**
 * What can be done with each runtime, as one table.
 *
 * Nothing in it is claimed by hand that the code can tell: the cells come from the records themselves, by
 * asking them, so that table and code cannot drift. How it was verified a test holds against the fixtures, and
 * the version against the one that the scenarios run.
 *
 * @see docs/runtimes.md §0 "Injection/wake matrix"
 */
import { RUNTIMES } from './catalogue.ts'
import type { EventName } from './events/hook-runtime.ts'
import { renderAnswer } from './events/render.ts'
import { deliveryOf } from './events/wake-channels.ts'
import { loadRuntimes } from './known-runtimes.ts'
import type { KnownRuntime, Runtime, Verified } from './record/record.ts'
import { armsWaiting, installedEvents, partsOnRequest, usualParts, type PartTitle } from './setup/parts.ts'
import { setupOf } from './setup/target.ts'

/** One runtime. Every list is empty where there is nothing. */
export interface Capability {
  readonly runtime: string
  readonly title: string
  /** Programs it may be started by, the usual one first. */
  readonly programs: readonly string[]
  /** Events within a turn whose answer reaches the model. */
  readonly busy: readonly EventName[]
  /** Events at the beginning of a session or a turn whose answer reaches the model. */
  readonly atPrompt: readonly EventName[]
  /** The driver that lets a turn go on at its end; undefined when nothing does. */
  readonly atTurnEnd: string | undefined
  /** Drivers that start a turn in an idle session. */
  readonly wake: readonly string[]
  readonly hasMcp: boolean
  /** What `agentd setup` writes without being asked for more. */
  readonly setup: readonly PartTitle[]
  /** What it writes when asked for the plugin too, and not otherwise. */
  readonly setupOnRequest: readonly PartTitle[]
  readonly verified: Verified
}

const BUSY: readonly EventName[] = ['before-tool', 'after-tool', 'tool-failed', 'notice']
const AT_PROMPT: readonly EventName[] = ['session-start', 'prompt']

/** All runtimes, in the order of the table. */
export async function capabilities(runtimes: readonly Runtime[] = RUNTIMES): Promise<readonly Capability[]> {
  return (await loadRuntimes(runtimes)).map(capabilityOf)
}

/** The table of the README, as Markdown without a line break at its end. */
export async function capabilityTable(runtimes: readonly Runtime[] = RUNTIMES): Promise<string> {
  const head = [
    'Runtime',
    'Into a running turn',
    'At its beginning',
    'Turn goes on',
    'Wakes an idle session',
    'MCP',
    'Set-up',
    'Verified',
  ]
  const rows = [head, head.map(() => '---'), ...(await capabilities(runtimes)).map(rowOf)]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function capabilityOf(runtime: KnownRuntime): Capability {
  const { id, title, programs, atTurnEnd, wake, verified } = runtime
  const setup = setupOf(runtime)
  // What nothing is installed for is never heard of, and so never answered.
  const heard = new Set(
    installedEvents(setup, Object.keys(runtime.eventNames)).map((name) => runtime.eventNames[name]),
  )
  const shown = (names: readonly EventName[]): readonly EventName[] =>
    names.filter((name) => runtime.shows.includes(name) && heard.has(name) && isSaid(runtime, name))
  const usual = usualParts(setup)
  return {
    runtime: id,
    title,
    programs,
    busy: shown(BUSY),
    atPrompt: shown(AT_PROMPT),
    atTurnEnd: heard.has('turn-end') && isSaid(runtime, 'turn-end') ? atTurnEnd : undefined,
    wake: [
      ...(wake === undefined ? [] : [wake.driver]),
      ...(armsWaiting(setup) ? [deliveryOf(runtime, {}, true).idle] : []),
    ],
    hasMcp: usual.includes('MCP'),
    setup: usual,
    setupOnRequest: partsOnRequest(setup),
    verified,
  }
}

/** Whether the runtime's words have a way to say something at this event. */
function isSaid(runtime: Runtime, name: EventName): boolean {
  const answer = name === 'turn-end' ? { continuation: 'x' } : { context: 'x' }
  return renderAnswer({ runtime, name, wireName: '' }, answer) !== undefined
}

const SPOKEN: Readonly<Partial<Record<EventName, string>>> = {
  'before-tool': 'before a tool',
  'after-tool': 'after a tool',
  'tool-failed': 'after a failed tool',
  notice: 'with a notification',
  'session-start': 'session',
  prompt: 'prompt',
}

function rowOf(one: Capability): readonly string[] {
  const spoken = (names: readonly EventName[]): string => listed(names.map((name) => SPOKEN[name] ?? name))
  const onRequest = one.setupOnRequest.map((part) => `${part} with \`--plugin\``)
  return [
    one.title,
    spoken(one.busy),
    spoken(one.atPrompt),
    one.atTurnEnd === undefined ? 'no' : `\`${one.atTurnEnd}\``,
    listed(one.wake.map((driver) => `\`${driver}\``)),
    one.hasMcp ? 'yes' : 'no',
    listed([...one.setup, ...onRequest]),
    [one.verified.how, one.verified.version].filter(Boolean).join(', '),
  ]
}

function listed(words: readonly string[]): string {
  return words.length === 0 ? 'no' : words.join(', ')
}
