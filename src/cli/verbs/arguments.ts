/**
 * From what was written on the command line to the arguments of a verb.
 */
import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { MAX_HANDOVER_OCTETS } from '../../core/limits.ts'
import { octetLength } from '../../core/text/octets.ts'
import { findKind, noKindWords } from '../../protocol/frame/spoken-kind.ts'
import { findWorkTree } from '../../host/work-tree.ts'
import { readContentFile, readStdin } from '../input/content.ts'
import { requireDurationMs } from '../run/durations.ts'
import type { RawArguments } from './argv.ts'
import type { VerbCommand, VerbFlag } from './verb-command.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** Of one reference (AC-060); what would be longer in full stays as it was written. */
const MAX_REF_OCTETS = 1_024

/** A path, and the line or lines of it: `src/auth.ts:80-92`. */
const PLACE = /^(.*?)((?::\d+(?:-\d+)?)?)$/s

/** A payload that is no JSON; where it stops being JSON is the full command line's to find out. */
export class NotJson extends UsageError {
  readonly text: string

  constructor(text: string, cause: unknown) {
    super('The payload is not valid JSON.', { cause })
    this.text = text
  }
}

/**
 * The body of `POST /v1/verbs/{verb}`. Reads files and stdin where the arguments say so.
 *
 * @param isSession - whether a session sends it, which has said where it works
 * @throws UsageError with a sentence, for what can be told to be wrong without asking the daemon
 */
export function composeArguments(
  command: VerbCommand,
  raw: RawArguments,
  isSession: boolean,
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {}
  for (const flag of command.flags) {
    const values = raw.flags.get(flag.name)
    if (flag.member === undefined) continue
    if (flag.orHere === true && !isSession) body[flag.member] = pointingHere((values ?? []).map(readPlace))
    else if (values !== undefined) body[flag.member] = readFlag(flag, values)
  }
  for (const [index, { form, member, name }] of command.args.entries()) {
    if (form === 'text' || form === 'need' || form === 'lease') {
      body[member] = raw.positionals[index]
      continue
    }
    const file = command.flags.find((flag) => flag.form === 'file')
    const path = raw.flags.get('file')?.at(-1)
    const text = readContent(raw.positionals[index], { path, keeps: file?.keeps === true }, name)
    body[member] = form === 'json' ? readPayload(text) : text
    if (path !== undefined && file?.keeps === true) body['keep'] = true
  }
  return body
}

function readFlag(flag: VerbFlag, values: readonly string[]): unknown {
  const value = values.at(-1) ?? ''
  if (flag.form === 'off') return false
  if (flag.form === 'texts') return values
  if (flag.form === 'places') return values.map(readPlace)
  if (flag.form === 'duration') return requireDurationMs(value, flag.name)
  if (flag.form === 'kind') return requireKind(value, flag.choices ?? [])
  if (flag.form === 'choice' && flag.choices?.includes(value) === false) {
    throw new UsageError(`--${flag.name} is "${value}"; it must be one of ${flag.choices.join(', ')}.`)
  }
  return value
}

/** @throws UsageError that says which one may have been meant */
function requireKind(value: string, kinds: readonly string[]): string {
  const kind = findKind(value, kinds)
  if (kind !== undefined) return kind
  throw new UsageError(noKindWords(value, kinds))
}

/**
 * Whoever reads it works elsewhere perhaps, so what is there is named in full; any other reference stays as it was written.
 *
 * @see OP-25, AC-060
 */
function readPlace(reference: string): string {
  const [, path = '', lines = ''] = PLACE.exec(reference) ?? []
  const full = resolve(path)
  if (path === '' || isAbsolute(path) || !existsSync(full)) return reference
  const named = `${full}${lines}`
  return octetLength(named) > MAX_REF_OCTETS ? reference : named
}

/**
 * No frame says its repository, and a shell has no session that does: so the frame points to it, unless something it points
 * to lies there (OP-25).
 */
function pointingHere(pointers: readonly string[]): readonly string[] | undefined {
  const top = findWorkTree(process.cwd())
  const isNamed = top === undefined || pointers.some((path) => path === top || path.startsWith(`${top}/`))
  const all = isNamed || octetLength(top) > MAX_REF_OCTETS ? pointers : [...pointers, top]
  return all.length === 0 ? undefined : all
}

function readContent(
  argument: string | undefined,
  { path: file, keeps }: { readonly path: string | undefined; readonly keeps: boolean },
  name: string,
): string {
  if (argument !== undefined && file !== undefined) {
    throw new UsageError(`Give the ${name} as an argument or with --file, not both.`)
  }
  if (file !== undefined) return readContentFile(file, keeps ? MAX_HANDOVER_OCTETS : undefined)
  if (argument === '-') return readStdin()
  if (argument !== undefined) return argument
  throw new UsageError(`The ${name} is missing: give it as an argument, with --file, or - to read stdin.`)
}

function readPayload(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new NotJson(text, cause)
  }
  if (isJsonObject(value)) return value
  throw new UsageError('The payload must be a JSON object.')
}
