/**
 * The keys of the configuration, walked through its schema: which there are, what each takes, and which one a person meant.
 */
import { nearNames } from '../../aee/envelope/entity.ts'
import { UsageError } from '../../core/errors.ts'
import {
  isJsonObject,
  listMember,
  memberOf,
  objectOf,
  textMember,
  type JsonObject,
} from '../../core/text/json-object.ts'

/** One key that holds a value. */
export interface Setting {
  /** Dotted, as people write it. */
  readonly key: string
  readonly path: readonly string[]
  /** Undefined where nothing holds unless it is said. */
  readonly standard: unknown
  readonly meaning: string
  /** Where it is one of a few. */
  readonly choices: readonly unknown[]
}

/** A place in the file that was named: a setting, a section of some, or a member of one that takes any name. */
export interface Place {
  readonly key: string
  readonly path: readonly string[]
  /** JSON Schema of what may stand there. */
  readonly schema: JsonObject
}

/** Every setting, in the order of the documentation. */
export function settingsOf(schema: unknown): readonly Setting[] {
  return walk(objectOf(schema), [])
}

function walk(schema: JsonObject, path: readonly string[]): readonly Setting[] {
  const members = memberOf(schema, 'properties')
  if (isJsonObject(members))
    return Object.entries(members).flatMap(([name, member]) => walk(objectOf(member), [...path, name]))
  const meaning = textMember(schema, 'description') ?? ''
  const choices = listMember(schema, 'enum')
  return [{ key: path.join('.'), path, standard: memberOf(schema, 'default'), meaning, choices }]
}

/**
 * The place a person named.
 *
 * @param key - dotted; behind a key that takes any intent the rest is that intent, dots and all
 * @throws UsageError with near names for one that does not exist
 */
export function requirePlace(schema: unknown, key: string): Place {
  const found = find(objectOf(schema), key.split('.'))
  if (found !== undefined) return { key, ...found }
  const known = settingsOf(schema).map((setting) => setting.key)
  const near = new Set([...known.filter((one) => one.endsWith(`.${key}`)), ...nearNames(key, known)])
  const hint =
    near.size === 0
      ? 'see "agentd config list"'
      : `did you mean ${[...near].slice(0, MAX_NEAR).join(' or ')}?`
  throw new UsageError(`There is no setting "${key}"; ${hint}`)
}

/** Names that are proposed for one that does not exist. */
const MAX_NEAR = 3

function find(
  schema: JsonObject,
  words: readonly string[],
): { readonly path: readonly string[]; readonly schema: JsonObject } | undefined {
  const [word, ...rest] = words
  if (word === undefined) return { path: [], schema }
  const members = objectOf(memberOf(schema, 'properties'))
  const others = memberOf(schema, 'additionalProperties')
  if (Object.hasOwn(members, word)) return below(word, find(objectOf(members[word]), rest))
  if (!isJsonObject(others) || word === '') return undefined
  // What has members of its own is named by one word; an intent goes to the end.
  if (isJsonObject(memberOf(others, 'properties'))) return below(word, find(others, rest))
  return { path: [words.join('.')], schema: others }
}

function below(word: string, found: ReturnType<typeof find>): ReturnType<typeof find> {
  return found && { ...found, path: [word, ...found.path] }
}
