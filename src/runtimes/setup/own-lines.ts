/**
 * What of ours stands in a file, counted as a person would: lines of hooks, a server, a block, a file.
 *
 * @see docs/runtimes.md §10 rule 12; OP-12, OP-30
 */
import { unreachable } from '../../core/errors.ts'
import { BOM, readFileText } from './file-text.ts'
import { JsonDraft } from './files/json-draft.ts'
import { findOwnHooks, findOwnServer, type JsonOwner } from './files/json-file.ts'
import { isBlank, valueOf, type JsonPath } from './files/json-text.ts'
import { findBlock } from './files/shell-file.ts'
import { findOwnTable } from './files/toml-file.ts'
import type { Change, OwnFormat } from './step.ts'

/** One thing of ours. */
interface OwnLine {
  readonly kind: 'hook' | 'server' | 'block' | 'file'
  /** Of a hook: the event it is for, and whether it waits. */
  readonly event: string | undefined
}

/** What becomes of it. */
export interface OwnChange extends OwnLine {
  readonly change: 'added' | 'changed' | 'removed'
}

interface FoundLine extends OwnLine {
  readonly text: string
}

/** What a change does to our own lines, in the order of the file; nothing for a line that stays as it is. */
export function ownChanges({ file, after, own }: Change): readonly OwnChange[] {
  const was = linesByName(file.bytes, own, file.path)
  const is = linesByName(after, own, file.path)
  const left = [...was].filter(([name]) => !is.has(name))
  return [
    ...[...is].flatMap(([name, line]) => {
      const before = was.get(name)
      if (before?.text === line.text) return []
      return [changeOf(line, before === undefined ? 'added' : 'changed')]
    }),
    ...left.map(([, line]) => changeOf(line, 'removed')),
  ]
}

function changeOf({ kind, event }: FoundLine, change: OwnChange['change']): OwnChange {
  return { kind, event, change }
}

/** A name that a line keeps from one version to the next; a second one of the same is told apart by its place. */
function linesByName(
  bytes: Buffer | undefined,
  own: OwnFormat,
  path: string,
): ReadonlyMap<string, FoundLine> {
  const lines = new Map<string, FoundLine>()
  if (bytes === undefined) return lines
  for (const line of findLines(readFileText(bytes, path), own, path)) {
    const name = `${line.kind} ${line.event ?? ''}`
    const same = [...lines.keys()].filter((known) => known.startsWith(`${name} #`)).length
    lines.set(`${name} #${same}`, line)
  }
  return lines
}

function findLines(text: string, { format, hookName }: OwnFormat, path: string): readonly FoundLine[] {
  const body = text.startsWith(BOM) ? text.slice(BOM.length) : text
  switch (format) {
    case 'json':
      return linesOfJson(body, { hookName, path })
    case 'toml':
      return lineOf('server', findOwnTable(body, path))
    case 'shell':
      return lineOf('block', findBlock(body))
    case 'whole':
      return lineOf('file', body)
    default:
      return unreachable(format)
  }
}

function linesOfJson(text: string, owner: JsonOwner): readonly FoundLine[] {
  if (isBlank(text)) return []
  const draft = new JsonDraft(text, owner.path)
  const hooks = findOwnHooks(draft, owner).map(({ event, role, path }): FoundLine => ({
    kind: 'hook',
    event: role === 'wait' ? `${event} (waits)` : event,
    // With what it is asked for, which an upgrade may change alone.
    text: textAt(draft, path) + textAt(draft, [...path.slice(0, 3), 'matcher']),
  }))
  const server = findOwnServer(draft)
  return [...hooks, ...lineOf('server', server && textAt(draft, server))]
}

function textAt(draft: JsonDraft, path: JsonPath): string {
  const node = draft.find(path)
  return node === undefined ? '' : JSON.stringify(valueOf(node))
}

function lineOf(kind: OwnLine['kind'], text: string | undefined): readonly FoundLine[] {
  return text === undefined ? [] : [{ kind, event: undefined, text }]
}
