/**
 * Reading the configuration of others, as tolerantly as they do; nothing is ever written.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseToml } from '@decimalturn/toml-patch'
import { parse, type ParseError } from 'jsonc-parser'
import { isStackOverflow } from '../../core/thrown.ts'
import { readJudgedFile, type OwnFile } from '../../host/files/own-file.ts'
import type { DoctorFinding, Notes } from './finding.ts'
import { MAX_CONFIG_BYTES, MAX_DROP_INS } from './bounds.ts'
import { isJsonObject } from '../../core/text/json-object.ts'

/** What a file holds; empty where it is absent or cannot be understood. */
export interface ConfigValue {
  readonly path: string
  readonly isThere: boolean
  readonly value: Readonly<Record<string, unknown>>
  readonly text: string
  /** Why it cannot be read; the end of a sentence. */
  readonly fault: string | undefined
}

/** Whoever it belongs to: it is the runtime that takes it or not. */
export function readConfigText(path: string): OwnFile {
  const file = readJudgedFile(path, ({ size }) => (size > MAX_CONFIG_BYTES ? 'it is too large' : undefined))
  return file.kind === 'text' ? { kind: 'text', text: file.text.replace(/^\uFEFF/, '') } : file
}

/** JSON with comments and trailing commas; whether the runtime takes those is asked elsewhere. */
export function readJsonConfig(path: string): ConfigValue {
  return readConfig(path, (text) => {
    if (text.trim() === '') return {}
    const errors: ParseError[] = []
    const value: unknown = parse(text, errors, { allowTrailingComma: true })
    return errors.length === 0 ? value : undefined
  })
}

/** TOML. */
export function readTomlConfig(path: string): ConfigValue {
  return readConfig(path, (text) => {
    try {
      return parseToml(text)
    } catch {
      // Which line it is, the runtime itself says best.
      return undefined
    }
  })
}

/** All `*.json` of a directory, in the order of their names. */
export function readJsonFolder(folder: string): readonly ConfigValue[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .slice(0, MAX_DROP_INS)
    .map((name) => readJsonConfig(join(folder, name)))
}

/** What a directory holds; nothing for one that cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

/** The member at a path of keys; undefined where there is none. */
export function memberAt(value: unknown, ...keys: readonly string[]): unknown {
  let found = value
  for (const key of keys) {
    if (!isJsonObject(found) || !Object.hasOwn(found, key)) return undefined
    found = found[key]
  }
  return found
}

/** A list's texts. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

function readConfig(path: string, understand: (text: string) => unknown): ConfigValue {
  const file = readConfigText(path)
  const nothing = { path, isThere: file.kind !== 'absent', value: {}, text: '' }
  if (file.kind === 'absent') return { ...nothing, fault: undefined }
  if (file.kind === 'refused') return { ...nothing, fault: file.reason }
  const value = understandShallow(file.text, understand)
  if (!isJsonObject(value)) return { ...nothing, text: file.text, fault: 'it cannot be understood' }
  return { ...nothing, value, text: file.text, fault: undefined }
}

/** The parsers call themselves for each level; what leaves them no stack cannot be understood. */
function understandShallow(text: string, understand: (text: string) => unknown): unknown {
  try {
    return understand(text)
  } catch (error) {
    if (!isStackOverflow(error)) throw error
    return undefined
  }
}

/**
 * What a file that cannot be read comes to.
 *
 * @param so - what that means for the runtime; a sentence
 */
export function configFaults(
  notes: Notes,
  { path, fault }: ConfigValue,
  so: string,
): readonly DoctorFinding[] {
  if (fault === undefined) return []
  return [notes.fail('config', `${path} is not read: ${fault}. ${so}`, `repair ${path}`)]
}
