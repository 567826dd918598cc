/**
 * What may leave over a link, as the person says it: in options, in the configuration, and in one line.
 *
 * @see docs/configuration.md; FED-06, FED-61
 */
import { dirname } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { objectOf, parseMembers, type JsonObject } from '../../core/text/json-object.ts'
import { resolveConfig, rulesOfLink, type LinkRules } from '../../host/config/config.ts'
import { configPath, type Environment } from '../../host/config/paths.ts'
import { makeDirectories, readEditedFile, replaceEditedFile } from '../../host/files/edited-file.ts'
import { realmForm, type Realm } from '../../link/realm.ts'
import { requireKindOf } from '../input/whole-kinds.ts'
import { readList, readTextOption, type Options } from '../run/options.ts'

/** Of one link. */
export type Allow = LinkRules['allow']

const PRESENCES = ['none', 'addresses', 'full'] as const

/** What leaves of who is there. */
type Presence = (typeof PRESENCES)[number]

const EVERYTHING: Pick<Allow, 'kinds' | 'presence'> = { kinds: ['*'], presence: 'full' }
const NOTHING: Pick<Allow, 'kinds' | 'presence' | 'bus'> = { kinds: [], presence: 'none', bus: [] }

/** What holds for a link now. @throws HostRefusal for a configuration that cannot be read */
export function readAllow(environment: Environment, name: string): Allow {
  return rulesOfLink(resolveConfig(environment, {}), name).allow
}

/** `--allow all`, `none` or kinds with commas between. @throws UsageError for a word that is no kind */
export function allowedBy(text: string): Partial<Allow> {
  if (text === 'all') return EVERYTHING
  if (text === 'none') return NOTHING
  const words = text.split(',').map((word) => word.trim())
  const kinds = words.map((word) => (word === '*' ? word : requireKindOf(word)))
  return { kinds, presence: 'addresses' }
}

/** Whether what goes over a link is sealed. @throws HostRefusal for a configuration that cannot be read */
export function readSeal(environment: Environment, name: string): LinkRules['seal'] {
  return rulesOfLink(resolveConfig(environment, {}), name).seal
}

/**
 * `--seal` and `--no-seal`; undefined where neither was said.
 *
 * @throws UsageError for a link that leads to others: only a person's own estate has keys to seal with
 */
export function readSealOption({ seal }: Options, realm: Realm): boolean | undefined {
  if (seal === true && realmForm(realm).form !== 'person')
    throw new UsageError('--seal is for links between your own machines; this one leads to others.')
  return typeof seal === 'boolean' ? seal : undefined
}

/** The options that say one part of it each. @returns only what was said. @throws UsageError */
export function readAllowOptions(options: Options): Partial<Allow> {
  const allow = readTextOption(options, 'allow') ?? readTextOption(options, 'kinds')
  const [from, bus, redact, compute] = (['from', 'bus', 'redact', 'compute'] as const).map((name) =>
    readList(options, name),
  )
  const presence = readPresence(options)
  return {
    ...(allow !== undefined && allowedBy(allow)),
    ...(from !== undefined && { from }),
    ...(bus !== undefined && { bus }),
    ...(redact !== undefined && { redact }),
    ...(compute !== undefined && { compute }),
    ...(presence !== undefined && { presence }),
  }
}

/**
 * Writes into the configuration what may leave over a link; everything else in it stays.
 *
 * @param wished - undefined takes away whatever was said of the link; `seal` absent: as it was
 * @throws UsageError for a file that is no JSON object, HostRefusal for one that is not ours to change
 */
export function writeAllow(
  environment: Environment,
  name: string,
  wished: { readonly allow: Partial<Allow>; readonly seal?: boolean | undefined } | undefined,
): void {
  const path = configPath(environment)
  const file = readEditedFile(path, environment.uid)
  const before = file.bytes === undefined ? {} : parseMembers(file.bytes.toString('utf8'))
  if (before === undefined)
    throw new UsageError(`The configuration ${path} is no JSON object; mend it first.`)
  const links = objectOf(before['links'])
  const after = {
    ...before,
    links: wished === undefined ? without(links, name) : { ...links, [name]: changed(links[name], wished) },
  }
  if (file.bytes === undefined) makeDirectories(dirname(file.target))
  replaceEditedFile(file, Buffer.from(`${JSON.stringify(after, undefined, 2)}\n`))
}

/** One line for a person. */
export function allowInWords({ kinds, from, presence, redact, bus }: Allow): string {
  const senders = from.includes('*') ? 'every session' : from.join(', ')
  const frames =
    kinds.length === 0
      ? 'no frame'
      : `${kinds.includes('*') ? 'frames of every kind' : kinds.join(', ')} from ${senders}`
  const who = {
    none: 'nobody is told of',
    addresses: 'who is there by address',
    full: 'who is there, with titles',
  }
  return [
    frames,
    who[presence],
    ...(bus.length === 0 ? [] : [`envelopes to ${bus.join(', ')}`]),
    ...(redact.length === 0 ? [] : [`without ${redact.join(', ')}`]),
  ].join('; ')
}

function changed(
  former: unknown,
  { allow, seal }: { readonly allow: Partial<Allow>; readonly seal?: boolean | undefined },
): JsonObject {
  const section = objectOf(former)
  const after = { ...section, allow: { ...objectOf(section['allow']), ...allow } }
  if (seal === undefined) return after
  return seal ? { ...after, seal: 'realm' } : without(after, 'seal')
}

function without(links: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(links).filter(([other]) => other !== name))
}

function readPresence(options: Options): Presence | undefined {
  const text = readTextOption(options, 'presence')
  return PRESENCES.find((one) => one === text)
}
