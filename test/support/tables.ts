/**
 * The tables of the documentation as they have to be, made from the code.
 */
import { z } from 'zod'
import { KIND_TABLE } from '../../src/cli/help/kind-words.ts'
import { OWN_ERRORS } from '../../src/cli/help/own-errors.ts'
import { VARIABLES } from '../../src/cli/help/variables.ts'
import { OUTPUTS } from '../../src/cli/published/outputs.ts'
import { EXIT_MEANINGS } from '../../src/cli/help/exit-codes.ts'
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

/** A command as `agentd --help` shows it, under the heading it stands under. */
export interface CommandRow {
  readonly heading: string
  readonly name: string
  readonly says: string
}

/** A table of the commands, with a row for each heading. */
export function commandTable(commands: readonly CommandRow[]): string {
  const rows = commands.flatMap(({ heading, name, says }, i) => [
    ...(commands[i - 1]?.heading === heading ? [] : [`| **${heading.replace(':', '')}** | |`]),
    `| \`agentd ${name}\` | ${says} |`,
  ])
  return ['| command | what it does |', '|---|---|', ...rows].join('\n')
}

export function kindTable(): string {
  const rows = KIND_TABLE.map(([kind, short, says]) => `| \`${kind}\` | ${short} | ${says} |`)
  return ['| kind | in short | what it says |', '|---|---|---|', ...rows].join('\n')
}

export function exitCodeTable(): string {
  const rows = EXIT_MEANINGS.map(({ code, means }) => `| ${code} | ${means} |`)
  return ['| exit code | meaning |', '|---|---|', ...rows].join('\n')
}

export function ownErrorTable(): string {
  const rows = OWN_ERRORS.map(([code, exit, means]) => `| \`${code}\` | ${exit} | ${means} |`)
  return ['| code | exit code | meaning |', '|---|---|---|', ...rows].join('\n')
}

/** Where the schema of an output stands below dist/schemas. */
function placeOfSchema(name: string): string {
  if (name.startsWith('cli-')) return `cli/${name}`
  return name === 'aee-v1' ? `envelope/${name}` : `http/${name}`
}

export function outputTable(): string {
  const rows = Object.entries(OUTPUTS).map(
    ([command, schemas]) =>
      `| \`agentd ${command}\` | ${schemas.map((name) => `\`${placeOfSchema(name)}\``).join(', ')} |`,
  )
  return ['| command | schema |', '|---|---|', ...rows].join('\n')
}

export function variableTable(): string {
  const rows = VARIABLES.map(
    ([names, means]) =>
      `| ${names
        .split(', ')
        .map((name) => `\`${name}\``)
        .join(', ')} | ${means} |`,
  )
  return ['| variable | what it does |', '|---|---|', ...rows].join('\n')
}
