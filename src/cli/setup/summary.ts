/**
 * What a set-up is going to change, in a few lines: each file with what of ours it gets or loses.
 *
 * @see docs/runtimes.md §10 rule 12; OP-12, OP-30
 */
import { basename } from 'node:path'
import { safeLine } from '../../core/text/safe-text.ts'
import type { CommandContext } from '../run/command-context.ts'
import { formatCount } from '../../core/text/counts.ts'
import { padTo, widthOf, wrapTo } from '../../core/display/width.ts'
import type { OwnChange, Setup, Step } from './modules.ts'

/** A place on this machine, and what happens there; safe to print. */
export interface SummaryRow {
  readonly place: string
  readonly what: string
  /** Lines that go into it further. */
  readonly more?: readonly string[]
}

/** What is counted, and how it is called; one of each in a file, but for hooks. */
const NOUNS: Readonly<Record<OwnChange['kind'], string>> = {
  hook: 'hook line',
  server: 'MCP server',
  block: 'hook block',
  file: 'whole file',
}

const ENDINGS: Readonly<Record<OwnChange['change'], string>> = {
  added: '',
  changed: ' changed',
  removed: ' taken out',
}

/** What each of them is for, as the part of a sentence. */
const PURPOSES: readonly (readonly [OwnChange['kind'], string])[] = [
  ['hook', 'Hooks tell of messages and edits'],
  ['server', 'the MCP server gives tools'],
  ['block', 'git tells of commits'],
]

const INDENT = '  '

/** How far in the names of lines stand, behind what becomes of them. */
const NAMES_AT = 15

/** The rows of a step; none where nothing changes. What an earlier set-up has written is gone through line by line. */
export function rowsOf(step: Step, setup: Setup, context: CommandContext): readonly SummaryRow[] {
  return undoRowsOf(step, setup, context).map((row, i) => {
    const change = step.changes[i]
    if (change === undefined) return row
    return { ...row, more: formatUpgrade(setup.ownChanges(change), context.output.columns) }
  })
}

/** The same for what is all taken out. */
export function undoRowsOf(step: Step, setup: Setup, context: CommandContext): readonly SummaryRow[] {
  const { changes, commands } = step
  return [
    ...changes.map((change) => ({
      place: formatPlace(change.file.path, context),
      what: formatOwn(setup.ownChanges(change)) + fileEnding(change),
    })),
    ...commands.map(({ program, args }) => ({
      place: safeLine([basename(program), ...args.slice(0, 2)].join(' ')),
      what: args[1] === 'remove' ? 'MCP server taken out' : 'MCP server',
    })),
  ]
}

/** Rows below one another, the second column where the first one ends. */
export function formatRows(rows: readonly SummaryRow[]): readonly string[] {
  const width = Math.max(0, ...rows.map(({ place }) => widthOf(place)))
  return rows.flatMap(({ place, what, more = [] }) => [
    `${INDENT}${padTo(place, width)}${INDENT}${what}`,
    ...more,
  ])
}

/** A sentence that says what the lines of these steps do, once they are there. */
export function formatPurpose(steps: readonly Step[], setup: Setup): string {
  const kinds = new Set(
    steps.flatMap(({ changes }) => changes.flatMap(setup.ownChanges)).map(({ kind }) => kind),
  )
  if (steps.some(({ commands }) => commands.length > 0)) kinds.add('server')
  const parts = PURPOSES.flatMap(([kind, purpose]) => (kinds.has(kind) ? [purpose] : []))
  const said = parts.join(', ')
  return said === '' ? '' : `${said.charAt(0).toUpperCase()}${said.slice(1)}; --undo undoes it.`
}

/**
 * Line by line, what becomes of those that an earlier set-up has written; nothing where it has written none.
 *
 * @param columns - undefined where nothing is to be broken
 */
export function formatUpgrade(changes: readonly OwnChange[], columns: number | undefined): readonly string[] {
  if (changes.every(({ change }) => change === 'added')) return []
  return (['added', 'changed', 'removed'] as const).flatMap((change) => {
    const names = changes
      .filter((one) => one.change === change)
      .map(({ kind, event }) => event ?? NOUNS[kind])
    if (names.length === 0) return []
    const lines = wrapTo(safeLine(names.join(', ')), (columns ?? Number.MAX_SAFE_INTEGER) - NAMES_AT)
    const head = `${INDENT.repeat(2)}${ENDINGS[change].trim() || 'new'}`
    return lines.map((line, i) => padTo(i === 0 ? head : '', NAMES_AT) + line)
  })
}

/** A path as people write it. */
export function formatPlace(path: string, { environment: { homeDir } }: CommandContext): string {
  return safeLine(path.startsWith(`${homeDir}/`) ? `~${path.slice(homeDir.length)}` : path)
}

function fileEnding({ file, after }: Step['changes'][number]): string {
  if (after === undefined) return ', file removed'
  return file.bytes === undefined ? ', new file' : ''
}

function formatOwn(changes: readonly OwnChange[]): string {
  const counted = Object.entries(NOUNS).flatMap(([kind, noun]) =>
    Object.entries(ENDINGS).flatMap(([change, ending]) => {
      const count = changes.filter((one) => one.kind === kind && one.change === change).length
      if (count === 0) return []
      return [(kind === 'hook' ? formatCount(count, noun) : noun) + ending]
    }),
  )
  return counted.join(', ') || 'what goes with it'
}
