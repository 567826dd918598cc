/**
 * The tables of the documentation as they have to be, made from the code.
 */
import { z } from 'zod'
import { ConfigFile } from '../../src/host/config/config-file.ts'
import { ROUTES } from '../../src/protocol/routes/routes.ts'
import { ERROR_CODES } from '../../src/protocol/refusal/error-codes.ts'

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
