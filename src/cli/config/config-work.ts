/**
 * What the commands of `agentd config` do.
 */
import { lstatSync } from 'node:fs'
import { UsageError } from '../../core/errors.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import { configSchema } from '../../host/config/config-keys.ts'
import { takesEffect } from '../../host/config/config-schema.ts'
import { configPath, resolveSocketPath } from '../../host/config/paths.ts'
import { requireNoSession } from '../authority/person.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { mayPage, readFlag } from '../run/options.ts'
import { printJson } from '../terminal/print.ts'
import { formatTable } from '../terminal/table.ts'
import { changeConfig, parseObject, readConfigText, type Changed } from './change-config.ts'
import { valueAt } from './config-text.ts'
import { effectiveSettings, effectiveValue, overridingVariable, type Effective } from './effective.ts'
import { requirePlace, type Place } from './setting-keys.ts'
import { readValue, showValue } from './setting-value.ts'
import { runningDaemon, takeUp } from './take-up.ts'

/** Columns of a value in the table; "config get" has the whole. */
const MAX_VALUE_COLUMNS = 22
const MAX_DEFAULT_COLUMNS = 12

/** Settings by which more may leave, enter or be said: for the person to change, and not for a session (FED-44). */
const FOR_THE_PERSON = [
  'auth',
  'principal',
  'links',
  'aee.boundary',
  'aee.inbound',
  'aee.signatures',
  'hooks.foreign',
]

/** `agentd config list`. */
export function listSettings({ environment, output, options }: CommandContext): ExitCode {
  const all = effectiveSettings(environment)
  const shown = readFlag(options, 'changed') ? all.filter(({ source }) => source !== 'default') : all
  const file = configPath(environment)
  if (output.json) printJson(JSON.stringify({ file, settings: shown.map(describeSetting) }))
  else if (shown.length > 0)
    output.answerLong(formatTable(heads(output), shown.map(rowOf), output), mayPage(options))
  if (shown.length === 0) output.say('every setting is as it is by default')
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined
  output.note(`file: ${safeLine(file)}${isThere ? '' : ' (there is none yet)'}`)
  return EXIT.done
}

function heads({ paint }: CommandContext['output']) {
  return [
    { title: 'SETTING', paint: paint.cyan },
    { title: 'VALUE', most: MAX_VALUE_COLUMNS },
    { title: 'DEFAULT', most: MAX_DEFAULT_COLUMNS },
    { title: 'FROM' },
  ]
}

function rowOf({ key, value, standard, source }: Effective): readonly string[] {
  return [key, safeLine(showValue(value)), safeLine(showValue(standard)), source]
}

function describeSetting({ key, value, standard, source, effect, meaning }: Effective): object {
  return { key, value: value ?? null, default: standard ?? null, source, takes_effect: effect, meaning }
}

/** `agentd config get`. */
export function getSetting({ environment, output, args }: CommandContext): ExitCode {
  const { key, path, schema } = requirePlace(configSchema(), args[0] ?? '')
  const { value, source } = effectiveValue(environment, { key, path })
  const held = value ?? schema['default']
  if (output.json) printJson(JSON.stringify({ key, value: held ?? null, source }))
  else if (held !== undefined) output.answer(safeLine(showValue(held)))
  if (held !== undefined) return EXIT.done
  output.note(`${safeLine(key)} is not set, and has no default.`)
  return EXIT.nothing
}

/** `agentd config set`. */
export async function setSetting(context: CommandContext): Promise<ExitCode> {
  const [key = '', ...words] = context.args
  const place = requirePlace(configSchema(), key)
  const value = readValue(place.schema, words, key)
  requireMayChange(context, key)
  return change(context, place, value)
}

/** `agentd config unset`; what should not be there may be taken out, too. */
export async function unsetSetting(context: CommandContext): Promise<ExitCode> {
  const [key = ''] = context.args
  requireMayChange(context, key)
  return change(context, strayPlace(context, key) ?? requirePlace(configSchema(), key), undefined)
}

/** A key that no schema knows, where it stands in the file all the same. */
function strayPlace({ environment }: CommandContext, key: string): Pick<Place, 'key' | 'path'> | undefined {
  const text = readConfigText(environment)
  const path = key.split('.')
  if (text === undefined || valueAt(parseObject(text, configPath(environment)), path) === undefined)
    return undefined
  return { key, path }
}

/** `agentd config path`. */
export function tellPath({ environment, output }: CommandContext): ExitCode {
  const file = configPath(environment)
  const exists = lstatSync(file, { throwIfNoEntry: false }) !== undefined
  output.data({ file, exists })
  output.answer(safeLine(file))
  return EXIT.done
}

function requireMayChange(context: CommandContext, key: string): void {
  const isTheirs = FOR_THE_PERSON.some(
    (one) => key === one || key.startsWith(`${one}.`) || one.startsWith(`${key}.`),
  )
  if (isTheirs) requireNoSession(context)
}

async function change(
  context: CommandContext,
  { key, path }: Pick<Place, 'key' | 'path'>,
  value: unknown,
): Promise<ExitCode> {
  const { environment, output } = context
  // Before the change, which may be of the socket itself.
  const socket = resolveSocketPath(environment, context.socket).path
  const changed = await changeConfig(environment, { key, path, value })
  tellChange(context, { key, value, changed })
  const effect = takesEffect(key)
  const pid = runningDaemon(socket)
  const daemon = changed.isNew ? await takeUp(context, effect, { pid, socket }) : 'none-needed'
  if (output.json) {
    const { before = null, isNew, faults } = changed
    const file = configPath(environment)
    const takes = { takes_effect: effect, daemon, pid: pid ?? null }
    printJson(JSON.stringify({ key, value: value ?? null, before, changed: isNew, file, faults, ...takes }))
  }
  return EXIT.done
}

interface Told {
  readonly key: string
  readonly value: unknown
  readonly changed: Changed
}

function tellChange({ environment, output }: CommandContext, { key, value, changed }: Told): void {
  const name = safeLine(key)
  const shown = safeLine(showValue(value))
  const was = changed.before === undefined ? '' : ` (was ${safeLine(showValue(changed.before))})`
  if (!changed.isNew)
    output.say(value === undefined ? `${name} is not in the file` : `${name} is ${shown} already`)
  else if (value === undefined) output.say(`${name} is taken out${was}; ${standingOf(key)}`)
  else output.say(`${name} is ${shown} now${was}`)
  const variable = value === undefined ? undefined : overridingVariable(environment, key)
  if (variable !== undefined) output.note(`${variable} is set in this shell, and goes before the file.`)
  if (changed.faults.length > 0)
    output.note(safeLine(`The daemon refuses the file still: ${changed.faults.join('; ')}.`))
}

function standingOf(key: string): string {
  try {
    const standard = requirePlace(configSchema(), key).schema['default']
    return standard === undefined ? 'it has no default' : `by default it is ${showValue(standard)}`
  } catch (error) {
    if (error instanceof UsageError) return 'agentd knows no such setting'
    throw error
  }
}
