/**
 * Changing the configuration file: under a lock, checked as the daemon checks it, whole or not at all.
 *
 * @see docs/configuration.md
 */
import { dirname, join } from 'node:path'
import { UsageError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/text/json-object.ts'
import { findConfigFaults } from '../../host/config/config-schema.ts'
import { configPath, type Environment } from '../../host/config/paths.ts'
import { makeDirectories, readEditedFile, replaceEditedFile } from '../../host/files/edited-file.ts'
import { underFileLock } from '../../host/files/file-lock.ts'
import { readOwnFile } from '../../host/files/own-file.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { changeText, valueAt } from './config-text.ts'

/** What is to stand where. */
export interface ConfigChange {
  readonly key: string
  readonly path: readonly string[]
  /** Undefined takes it away. */
  readonly value: unknown
}

/** What came of it. */
export interface Changed {
  /** What stood in the file; undefined where nothing did. */
  readonly before: unknown
  readonly isNew: boolean
  /** Faults that the file had before, and has still; the daemon refuses it. */
  readonly faults: readonly string[]
}

/**
 * Changes one value. Two at once go one after the other, and what an editor has saved meanwhile is not written over.
 *
 * @throws UsageError for a value that the daemon would not take, HostRefusal for a file that is not ours to change
 */
export async function changeConfig(environment: Environment, change: ConfigChange): Promise<Changed> {
  const { target, bytes } = readEditedFile(configPath(environment), environment.uid)
  if (bytes === undefined && change.value === undefined)
    return { before: undefined, isNew: false, faults: [] }
  // What has no folder is nobody's yet; what is refused below leaves an empty one.
  makeDirectories(dirname(target))
  return underFileLock(join(dirname(target), '.agentd-config.lock'), () => changeAlone(environment, change))
}

async function changeAlone(environment: Environment, change: ConfigChange): Promise<Changed> {
  const file = readEditedFile(configPath(environment), environment.uid)
  const text = file.bytes === undefined ? undefined : readConfigText(environment)
  const content = text === undefined ? {} : parseObject(text, file.path)
  const before = valueAt(content, change.path)
  const isSame = JSON.stringify(before) === JSON.stringify(change.value)
  const former = findConfigFaults(content)
  if (isSame) return { before, isNew: false, faults: former }
  requireWay(content, change)
  const after = await changeText(text ?? '{}\n', file.path, change)
  const faults = findConfigFaults(JSON.parse(after))
  const own = faults.filter((fault) => !former.includes(fault) || fault.startsWith(`"${change.key}"`))
  if (own.length > 0) throw new UsageError(`${own.join('; ')}.`)
  replaceEditedFile(file, Buffer.from(after))
  return { before, isNew: true, faults }
}

/** The file as the daemon would read it; undefined where there is none. @throws HostRefusal in the daemon's words */
export function readConfigText(environment: Environment): string | undefined {
  const path = configPath(environment)
  const file = readOwnFile(path, environment.uid)
  if (file.kind === 'refused') throw new HostRefusal(`The configuration ${path} is refused: ${file.reason}.`)
  return file.kind === 'text' ? file.text : undefined
}

/** @throws HostRefusal for what the daemon cannot read either */
export function parseObject(text: string, path: string): Readonly<Record<string, unknown>> {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const hint = /^\s*\/[/*]/m.test(text) ? ' JSON has no comments.' : ''
    throw new HostRefusal(`The configuration ${path} is no JSON: ${error.message}.${hint}`, { cause: error })
  }
  if (isJsonObject(content)) return content
  throw new HostRefusal(`The configuration ${path} is refused: it must be an object.`)
}

/** @throws UsageError where what leads to a value is a value itself */
function requireWay(content: unknown, { path }: ConfigChange): void {
  for (let depth = 1; depth < path.length; depth += 1) {
    const above = path.slice(0, depth)
    const found = valueAt(content, above)
    if (found !== undefined && !isJsonObject(found))
      throw new UsageError(
        `"${above.join('.')}" must be an object; "agentd config unset ${above.join('.')}" first.`,
      )
  }
}
