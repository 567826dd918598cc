/**
 * A file's bytes as text and back, and our entries in it, whatever its format.
 */
import { unreachable } from '../../core/errors.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { mergeShell, stripShell } from './files/shell-file.ts'
import type { MadePlace } from './files/json-draft.ts'
import { mergeJson, stripJson } from './files/json-file.ts'
import { mergeToml, stripToml } from './files/toml-file.ts'
import type { DesiredFile } from './target.ts'

/** A text with our entries, and what is needed to take them out again. */
export interface Merged {
  readonly text: string
  readonly made: readonly MadePlace[]
  readonly inserted: string | null
}

/** What is known about our entries in a file. */
export interface OwnPart {
  readonly format: DesiredFile['format']
  readonly hookName: string
  readonly made: readonly MadePlace[]
  readonly inserted: string | null
}

/** A byte order mark, which some editors put before a text. */
export const BOM = '\uFEFF'

/** @throws HostRefusal when it is not UTF-8: what we wrote back would not be what was there */
export function readFileText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new HostRefusal(`${path} is left alone: it is not valid UTF-8.`, { cause: error })
  }
}

/**
 * Puts our entries in, and takes out those that are set up no more. A byte order mark stays where it is.
 *
 * @param made - what an earlier set-up has made in a JSON file
 * @throws HostRefusal when that cannot be done
 */
export function mergeText(text: string, desired: DesiredFile, made: readonly MadePlace[] = []): Merged {
  const mark = text.startsWith(BOM) ? BOM : ''
  const merged = mergeBody(text.slice(mark.length), desired, made)
  return { ...merged, text: mark + merged.text }
}

/** Takes our entries out, and nothing else. */
export function stripText(text: string, { format, hookName, made, inserted }: OwnPart, path: string): string {
  const mark = text.startsWith(BOM) ? BOM : ''
  const body = text.slice(mark.length)
  switch (format) {
    case 'json':
      return mark + stripJson(body, made, { hookName, path })
    case 'toml':
      return mark + stripToml(body, inserted, path)
    case 'shell':
      return mark + stripShell(body, inserted)
    case 'whole':
      // Somebody has made it their own.
      return text === inserted ? '' : text
    default:
      return unreachable(format)
  }
}

/** What a desired file's entries are known by, before anything is known about them. */
export function ownPart(desired: DesiredFile): OwnPart {
  const hookName = desired.format === 'json' ? desired.hookName : ''
  return { format: desired.format, hookName, made: [], inserted: null }
}

function mergeBody(text: string, desired: DesiredFile, made: readonly MadePlace[]): Merged {
  switch (desired.format) {
    case 'json': {
      const owner = { hookName: desired.hookName, path: desired.path }
      return { ...mergeJson(text, desired.entries, owner, made), inserted: null }
    }
    case 'toml':
      return { ...mergeToml(text, desired.server, desired.path), made: [] }
    case 'shell':
      return { ...mergeShell(text, desired.lines, desired.path), made: [] }
    case 'whole':
      return { text: desired.text, made: [], inserted: desired.text }
    default:
      return unreachable(desired)
  }
}
