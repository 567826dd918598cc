/**
 * Our MCP server in Codex' `config.toml`, comments kept.
 *
 * A table of ours is put at the end as plain text, so that everything before it stays as it is, and is taken
 * out as the same text. Where that cannot be (the servers stand in one inline table, somebody has edited our
 * table) the TOML editor does it.
 *
 * @see docs/runtimes.md §2.2
 */
import { isDeepStrictEqual } from 'node:util'
import { parse, patch } from '@decimalturn/toml-patch'
import { HostRefusal } from '../../../host/files/refusal.ts'
import { SERVER_NAME } from './json-file.ts'
import { isOwnServer } from './launch.ts'
import { isJsonObject } from '../../../core/text/json-object.ts'

/** The server as it is written. */
export interface TomlServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A text with our server, and what was put at its end; null where the editor had to do it. */
export interface MergedToml {
  readonly text: string
  readonly inserted: string | null
}

type Table = Record<string, unknown>

const SERVERS = 'mcp_servers'

/** @throws HostRefusal for a text that is not understood, or a server of the name that is not ours */
export function mergeToml(text: string, server: TomlServer, path: string): MergedToml {
  const before = readToml(text, path)
  const found = ownTable(before[SERVERS])?.[SERVER_NAME]
  const desired = { ...server, args: [...server.args] }
  if (found !== undefined && !isOwnServer(found)) {
    throw new HostRefusal(`${path} is left alone: it has a server "${SERVER_NAME}" that is not ours.`)
  }
  const { command, args } = desired
  if (found !== undefined) {
    // Whatever else a person has set on our server stays.
    const after = withServer(before, { ...ownTable(found), command, args })
    return { text: isDeepStrictEqual(before, after) ? text : patch(text, after), inserted: null }
  }
  const after = withServer(before, desired)
  const inserted = formatTable(text, desired)
  const appended = text + inserted
  if (says(appended, after)) return { text: appended, inserted }
  return { text: patch(text, after), inserted: null }
}

/** Takes our server out. */
export function stripToml(text: string, inserted: string | null, path: string): string {
  const before = readToml(text, path)
  const servers = ownTable(before[SERVERS])
  if (!isOwnServer(servers?.[SERVER_NAME])) return text
  const { [SERVER_NAME]: _, ...others } = servers ?? {}
  const { [SERVERS]: __, ...rest } = before
  const expected = [{ ...rest, [SERVERS]: others }, ...(Object.keys(others).length === 0 ? [rest] : [])]
  const without = inserted === null ? undefined : withoutOnce(text, inserted)
  if (without !== undefined && expected.some((table) => says(without, table))) return without
  return patch(text, expected.at(-1) ?? rest)
}

/** Our server as it stands in a text, as JSON; undefined where there is none. */
export function findOwnTable(text: string, path: string): string | undefined {
  const server = ownTable(readToml(text, path)[SERVERS])?.[SERVER_NAME]
  return isOwnServer(server) ? JSON.stringify(plain(server)) : undefined
}

function readToml(text: string, path: string): Table {
  try {
    return { ...parse(text) }
  } catch (error) {
    const line: unknown = error instanceof Error ? Reflect.get(error, 'line') : undefined
    if (!(error instanceof Error) || typeof line !== 'number') throw error
    const column = Number(Reflect.get(error, 'column')) + 1
    const what = error.message.split('\n').at(-1) ?? ''
    throw new HostRefusal(`${path} is left alone: line ${line}, column ${column}: ${what}.`, { cause: error })
  }
}

function withServer(table: Table, server: Table): Table {
  return { ...table, [SERVERS]: { ...ownTable(table[SERVERS]), [SERVER_NAME]: server } }
}

/** Whether a text is TOML and says exactly this. */
function says(text: string, table: Table): boolean {
  try {
    return isDeepStrictEqual(plain(parse(text)), plain(table))
  } catch {
    // It does not parse: a table cannot be added here in this way.
    return false
  }
}

function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}` : member)),
  )
}

function formatTable(text: string, { command, args, env }: TomlServer): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const lead = text === '' ? [] : text.endsWith('\n') ? [''] : ['', '']
  const lines = [
    ...lead,
    `[${SERVERS}.${SERVER_NAME}]`,
    // A JSON string of what a path can hold is a TOML basic string.
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((word) => JSON.stringify(word)).join(', ')}]`,
  ]
  const members = Object.entries(env ?? {}).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  if (members.length > 0) lines.push('', `[${SERVERS}.${SERVER_NAME}.env]`, ...members)
  return `${lines.join(eol)}${eol}`
}

/** Undefined when the part is not there, or stands there twice. */
function withoutOnce(text: string, part: string): string | undefined {
  const at = text.indexOf(part)
  if (at === -1 || text.includes(part, at + 1)) return undefined
  return text.slice(0, at) + text.slice(at + part.length)
}

function ownTable(value: unknown): Table | undefined {
  return isJsonObject(value) ? { ...value } : undefined
}
