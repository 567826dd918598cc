/**
 * The command line of the kit.
 */
import { parseArgs } from 'node:util'
import type { Vector } from './vector.ts'

/** How an implementation is reached. */
export type Target =
  | { readonly by: 'command'; readonly command: string }
  | { readonly by: 'library'; readonly path: string }
  | { readonly by: 'http'; readonly base: string; readonly bus: BusOptions }

/** How a bus that speaks HTTP differs from the usual one. */
export interface BusOptions {
  /** Whose bus it is; vectors are written for `~alice`. */
  readonly handle: string
  /** Path that takes frames. */
  readonly submit: string
  /** What the recipient scope is called in the query of that path. */
  readonly scopeName: string
  /** Path of a stream, with `{handle}`. */
  readonly stream: string
  /** Path that registers sessions; undefined where there is none. */
  readonly sessions: string | undefined
  /** Path that takes envelopes; undefined where there is none. */
  readonly envelopes: string | undefined
  /** The entity that answers `aee.*`. */
  readonly entity: string
  /** Whether the bus knows the keys of the vectors, as `--write-keys` writes them. */
  readonly hasKeys: boolean
  /** Headers that every request has. */
  readonly headers: Readonly<Record<string, string>>
}

export interface Options {
  readonly target: Target | undefined
  readonly writeKeys: string | undefined
  readonly isJson: boolean
  readonly isLong: boolean
  readonly isList: boolean
  readonly isHelp: boolean
  readonly admits: (vector: Vector) => boolean
}

/** A command line that is none. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'
}

export const USAGE = `usage: agentd-conformance (--command LINE | --library FILE.mjs | --http URL | --socket PATH) [options]

  --draft NAME      only vectors of that draft: memo, aee, volt, ward; again for another one
  --section N       only that section and those below it; again for another one
  --basis NAME      only text, local or open
  --without TOPIC   leave out what an implementation may decline: org, accord; again for another one
  --id ID           only this vector
  --list            print the vectors, and ask nobody
  --json            the report as JSON
  --long            also what open vectors were answered

  of a bus:
  --handle ~NAME    whose bus it is (~alice)
  --submit PATH     takes frames (/v1/frames)
  --scope-name NAME what the scope is called in its query (recipient_scope)
  --stream PATH     a stream of frames (/v1/handles/{handle}/stream?profile=memo)
  --sessions PATH   registers sessions (/v1/sessions; none: it does not)
  --envelopes PATH  takes envelopes (/v1/envelopes; none: it does not)
  --entity NAME     answers aee.* (service.agentd)
  --header 'N: V'   goes with every request; again for another one
  --write-keys DIR  write the keys of the signature vectors as files, and ask nobody
  --has-keys        the bus knows them

exit code: 0, 1 where something that the text of a draft demands failed, 2 where the implementation could not be asked
`

const MANY = { type: 'string', multiple: true } as const
const ONE = { type: 'string' } as const
const FLAG = { type: 'boolean', default: false } as const

/** @throws OptionsError */
export function readOptions(args: readonly string[]): Options {
  const values = parse(args)
  const bus: BusOptions = {
    handle: values.handle,
    submit: values.submit,
    scopeName: values['scope-name'],
    stream: values.stream,
    sessions: values.sessions === 'none' ? undefined : values.sessions,
    envelopes: values.envelopes === 'none' ? undefined : values.envelopes,
    entity: values.entity,
    hasKeys: values['has-keys'],
    headers: Object.fromEntries((values.header ?? []).map(readHeader)),
  }
  return {
    target: readTarget(values, bus),
    writeKeys: values['write-keys'],
    isJson: values.json,
    isLong: values.long,
    isList: values.list,
    isHelp: values.help,
    admits: (vector) =>
      isAmong(values.draft, vector.draft) &&
      isAmong(values.basis, vector.basis) &&
      isAmong(values.id, vector.id) &&
      (values.section ?? [vector.section]).some((section) => isWithin(vector.section, section)) &&
      !vector.topics.some((topic) => values.without?.includes(topic) === true),
  }
}

type Values = ReturnType<typeof parse>

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        command: ONE,
        library: ONE,
        http: ONE,
        socket: ONE,
        draft: MANY,
        section: MANY,
        basis: MANY,
        without: MANY,
        id: MANY,
        header: MANY,
        list: FLAG,
        json: FLAG,
        long: FLAG,
        help: FLAG,
        'has-keys': FLAG,
        'write-keys': ONE,
        handle: { ...ONE, default: '~alice' },
        submit: { ...ONE, default: '/v1/frames' },
        'scope-name': { ...ONE, default: 'recipient_scope' },
        stream: { ...ONE, default: '/v1/handles/{handle}/stream?profile=memo' },
        sessions: { ...ONE, default: '/v1/sessions' },
        envelopes: { ...ONE, default: '/v1/envelopes' },
        entity: { ...ONE, default: 'service.agentd' },
      },
    }).values
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function readTarget({ command, library, http, socket }: Values, bus: BusOptions): Target | undefined {
  const targets: readonly (Target | undefined)[] = [
    command === undefined ? undefined : { by: 'command', command },
    library === undefined ? undefined : { by: 'library', path: library },
    http === undefined ? undefined : { by: 'http', base: http, bus },
    socket === undefined ? undefined : { by: 'http', base: socket, bus },
  ]
  const [target, second] = targets.filter((one) => one !== undefined)
  if (second !== undefined)
    throw new OptionsError('say only one of --command, --library, --http and --socket')
  return target
}

function readHeader(text: string): readonly [string, string] {
  const colon = text.indexOf(':')
  if (colon < 1) throw new OptionsError(`--header takes 'name: value', not '${text}'`)
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

/** Whether a value is one of those that were named, or none was. */
function isAmong(values: readonly string[] | undefined, value: string): boolean {
  return values?.includes(value) ?? true
}

function isWithin(section: string, wanted: string): boolean {
  return section === wanted || section.startsWith(`${wanted}.`)
}
