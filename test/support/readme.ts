/**
 * The README as data: its tables, as they have to be, and its fenced blocks, as they stand.
 */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ERROR_CODES } from '../../src/protocol/refusal/error-codes.ts'
import { ROUTES } from '../../src/protocol/http/routes.ts'
import { ConfigFile } from '../../src/host/config/config-file.ts'

export const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** One fenced block. */
export interface Block {
  readonly language: string
  /** `key=value` words of the info string. */
  readonly tags: ReadonlyMap<string, string>
  readonly text: string
}

/** The table between two markers, as it stands. */
export function tableBetween(name: string): string {
  const match = new RegExp(`<!-- ${name}:begin -->\n([\\s\\S]*?)\n<!-- ${name}:end -->`).exec(README)
  if (match?.[1] === undefined) throw new Error(`the README has no table "${name}"`)
  return match[1]
}

export function errorTable(): string {
  const rows = Object.entries(ERROR_CODES)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`)
  return ['| code | status | meaning |', '|---|---|---|', ...rows].join('\n')
}

export function routeTable(): string {
  const rows = Object.values(ROUTES).map(
    ({ method, path, summary }) => `| \`${method} ${path.replaceAll('|', '\\|')}\` | ${summary} |`,
  )
  return ['| route | what it is |', '|---|---|', ...rows].join('\n')
}

/** What JSON Schema says of a key. */
const Property = z.looseObject({ description: z.string().optional(), default: z.unknown().optional() })
const ObjectSchema = z.looseObject({ properties: z.record(z.string(), z.unknown()) })

export function configTable(): string {
  return [
    '| key | default | meaning |',
    '|---|---|---|',
    ...configRows(z.toJSONSchema(ConfigFile, { io: 'input', unrepresentable: 'any' }), ''),
  ].join('\n')
}

function configRows(schema: unknown, prefix: string): string[] {
  const { properties } = ObjectSchema.parse(schema)
  return Object.entries(properties).flatMap(([name, property]) => {
    if (ObjectSchema.safeParse(property).success) return configRows(property, `${prefix}${name}.`)
    const { description = '', default: value } = Property.parse(property)
    return [
      `| \`${prefix}${name}\` | ${value === undefined ? '' : `\`${JSON.stringify(value).replaceAll('"', '')}\``} | ${description} |`,
    ]
  })
}

/** A command and its one line of help, as `agentd --help` prints them. */
export function commandTable(commands: readonly (readonly [string, string])[]): string {
  const rows = commands.map(([name, summary]) => `| \`agentd ${name}\` | ${summary} |`)
  return ['| command | what it does |', '|---|---|', ...rows].join('\n')
}

/** Every fenced block, in order. */
export function blocks(): readonly Block[] {
  return [...README.matchAll(/^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', info = '', text = '']) => ({
      language,
      tags: new Map(
        info
          .trim()
          .split(/\s+/)
          .flatMap((word): [string, string][] => {
            const [key, value] = word.split('=')
            return key !== undefined && value !== undefined ? [[key, value]] : []
          }),
      ),
      text,
    }),
  )
}
