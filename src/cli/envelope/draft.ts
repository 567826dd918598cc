/**
 * From the options of `agentd envelope send` to an envelope's draft.
 */
import { UsageError } from '../../core/errors.ts'
import {
  PRIORITIES,
  TYPES,
  type EnvelopeType,
  type Priority,
  type Trace,
} from '../../aee/envelope/envelope.ts'
import { childTrace, newSpanId, readTraceparent } from '../../aee/envelope/trace-context.ts'
import type { EnvelopeDraft } from '../../client/index.ts'
import { MAX_ENVELOPE_OCTETS } from '../../core/limits.ts'
import type { CommandContext } from '../run/command-context.ts'
import { readJsonObject } from '../input/json-object.ts'
import { readTextOption, type Options } from '../run/options.ts'
import { readRecords, STDIN_NAME } from '../input/records.ts'

/** @throws UsageError with a sentence, for what can be told to be wrong without asking the daemon */
export async function readDraft(context: CommandContext): Promise<EnvelopeDraft> {
  const { options, args } = context
  const requires = readTextOption(options, 'requires')
  return {
    type: readType(options),
    from: requireText(options, 'from'),
    to: requireText(options, 'to'),
    intent: requireText(options, 'intent'),
    payload: await readPayload(args[0]),
    corr: readTextOption(options, 'corr'),
    replyTo: readTextOption(options, 'replyTo'),
    priority: readPriority(options, 'priority'),
    requires: requires === undefined ? undefined : readJsonObject(requires, '--requires'),
    trace: readTrace(context),
  }
}

/** A key of `PRIORITIES`, as an option has it; undefined when it was not given. */
export function readPriority(options: Options, name: string): Priority | undefined {
  const text = readTextOption(options, name)
  return PRIORITIES.find((priority) => priority === text)
}

function readType(options: Options): EnvelopeType {
  const text = readTextOption(options, 'type')
  return TYPES.find((type) => type === text) ?? 'task'
}

function requireText(options: Options, name: string): string {
  const text = readTextOption(options, name)
  if (text === undefined) throw new UsageError(`--${name} is missing; only with --raw it may be.`)
  return text
}

async function readPayload(argument = '{}'): Promise<EnvelopeDraft['payload']> {
  const text = argument === STDIN_NAME ? await readWhole() : argument
  return readJsonObject(text, 'The payload')
}

/** Everything on stdin, within what an envelope may hold. */
async function readWhole(): Promise<string> {
  const lines: string[] = []
  let octets = 0
  for await (const { bytes } of readRecords(STDIN_NAME)) {
    octets += bytes.length + 1
    if (octets > MAX_ENVELOPE_OCTETS) {
      throw new UsageError(`stdin holds more than ${MAX_ENVELOPE_OCTETS} octets, the limit of one envelope.`)
    }
    lines.push(bytes.toString())
  }
  return lines.join('\n')
}

/**
 * A span of its own in the trace of whoever calls. A `traceparent` that a person gave has to be one; the one of
 * the surroundings is left aside when it is none (W3C Trace Context §3.2).
 */
function readTrace({ options, environment }: CommandContext): Trace | null {
  const given = readTextOption(options, 'traceParent')
  const parent = readTraceparent(given ?? environment.env['TRACEPARENT'] ?? '')
  if (parent !== undefined) {
    return childTrace({ trace_id: parent.traceId, span_id: parent.spanId }, newSpanId())
  }
  if (given === undefined) return null
  throw new UsageError(`--trace-parent is "${given}"; it looks like 00-<32 hex digits>-<16 hex digits>-01.`)
}
