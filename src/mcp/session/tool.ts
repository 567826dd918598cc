/**
 * What a tool is: a definition that hosts read, and the work behind it.
 *
 * The definition's JSON is what every session of every host pays for in tokens, so nothing stands in it that a
 * model can do without; a test counts it.
 */
import * as z from 'zod'
import type { AgentdSession } from '../../client/index.ts'
import type { Clock } from '../../core/clock.ts'
import type { ForeignWish } from '../../protocol/address/foreign.ts'
import type { CarriesOn } from '../../protocol/board/board.ts'
import { requireShape } from '../../protocol/refusal/refusal.ts'
import type { Semaphore } from './semaphore.ts'

/** What a host knows about a tool before it is called. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly outputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly annotations: ToolHints
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** None destroys anything or leaves the machine; what differs is whether a tool only reads. */
export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: false
  readonly openWorldHint: false
}

/** What a tool's work is done with. */
export interface ToolCall {
  /** The session that speaks. */
  readonly session: AgentdSession
  /** Leases this connection took for the session, by `leaseKey`. */
  readonly ownLeases: Set<string>
  /** Whether a session of this machine goes on under another address. */
  readonly carriesOn: CarriesOn
  /** What is done with what other principals sent over a link (FED-64). */
  readonly foreign: ForeignWish
  /** The other principal that an event is of, where what those write is not shown; undefined for what may be. */
  readonly hiddenFrom: (eventId: string) => string | undefined
  /** What the caller's repository is called on every machine, where it works in one (FED-68). */
  readonly repositoryId: string | undefined
  /** Told that something was handed over, which the next call proves to have been shown. */
  readonly onHanded: () => void
  /** A session beside it whose stream somebody is told how to open: one for the connection, made when first asked for. */
  readonly listener: () => Promise<AgentdSession>
  /** Bounds the questions of this connection. */
  readonly asks: Semaphore
  readonly clock: Clock
  /** Aborts when the host gives the call up or goes away. */
  readonly signal: AbortSignal
}

/** A result before it is made safe: own words, and whatever peers wrote. */
export type Facts = Readonly<Record<string, unknown>>

/** A tool whose arguments are checked before its work begins. */
export interface Tool {
  readonly definition: ToolDefinition
  /** The name the caller gives itself; undefined when it gives none. */
  nameIn(args: unknown): string | undefined
  /**
   * @throws AgentdError `field-unknown`, `field-missing` or `field-invalid` for the arguments, or what the
   *   daemon refuses
   */
  run(args: unknown, call: ToolCall): Promise<Facts>
}

/** How a tool is written down. */
interface ToolRow<S extends z.ZodRawShape> {
  readonly name: string
  readonly description: string
  readonly input: S
  /** The members of a result that matter, beside `unread`, as JSON Schema. */
  readonly output: Readonly<Record<string, object>>
  readonly isReadOnly: boolean
  /** Of those no session should have to look for first; every one costs each session its definition. */
  readonly isAlwaysLoaded?: boolean
  readonly run: (args: z.infer<z.ZodObject<S & typeof Self>>, call: ToolCall) => Promise<Facts>
}

/** Claude Code keeps tools of servers behind a search, which costs a turn; not those that say this. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true }

/** The argument every tool has besides its own. */
const Self = { as: z.string().optional() }

/** The argument every tool has, looked for before the others are checked. */
const Named = z.object(Self)

/** A tool whose arguments are typed where it is written and checked before it is called. */
export function tool<S extends z.ZodRawShape>(row: ToolRow<S>): Tool {
  const { name, description, input, output, isReadOnly, isAlwaysLoaded = false, run } = row
  const args = z.strictObject({ ...input, ...Self })
  return {
    definition: {
      name,
      description,
      inputSchema: inputSchemaOf(args),
      // A failure is a result too and some clients hold it against the schema: nothing is required, and what
      // only some results have is not spelled out.
      outputSchema: {
        type: 'object',
        properties: { ...output, unread: { type: 'integer' } },
      },
      annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
      ...(isAlwaysLoaded && { _meta: ALWAYS_LOADED }),
    },
    nameIn: (value) => Named.safeParse(value).data?.as,
    // `run` gets what `args` has just returned; a table of unlike rows cannot say so itself.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    run: async (value, call) => run(requireShape(args, value, 'arguments') as never, call),
  }
}

/** Text of any length: how much a frame holds the daemon says (ACQ-14). */
export const Text = z.string()

/** Without the dialect, which is the protocol's default. */
function inputSchemaOf(schema: z.ZodType): ToolDefinition['inputSchema'] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return { ...json, type: 'object' }
}
