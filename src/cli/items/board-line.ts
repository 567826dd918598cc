/**
 * What is announced just now, as `agentd board` shows it: a table with a line above what is in each worktree.
 */
import { safeLine } from '../../core/text/safe-text.ts'
import type { BoardEntry } from '../../protocol/board/board-frame.ts'
import type { Palette } from '../../core/display/palette.ts'
import { formatTable } from '../terminal/table.ts'
import { cutStartTo, cutTo } from '../../core/display/width.ts'

/** One announcement, and where it is. */
export interface BoardLine extends BoardEntry {
  /** What its session is called; undefined for one that has left, and for the person. */
  readonly name: string | undefined
  /** Within the worktree where that is known, otherwise as it was sent. */
  readonly path: string
  /** The git common directory. */
  readonly repository: string | undefined
  /** On another node: what the repository is called on every machine. */
  readonly repositoryId: string | undefined
  /** Whether its session has ended; what no session sent never has. */
  readonly hasLeft: boolean
  /** How long ago it was announced, and how long it has left. */
  readonly ago: string
  readonly left: string
  /** What stands above those in one place; safe to print. */
  readonly head: string
  /** What it is about, in quotation marks; empty where that says no more than the file. Safe to print. */
  readonly remark: string
}

/** For whom it is shown. */
export interface BoardView {
  readonly paint: Palette
  /** Undefined where nothing is to be cut. */
  readonly columns: number | undefined
}

/** What an address and a path take at the most on a terminal that is not wide; a name is never cut. */
const MAX_ADDRESS_COLUMNS = 28
const MAX_PATH_COLUMNS = 38
const WIDE_COLUMNS = 120

/** @param lines - those in one place one after the other */
export function formatBoard(lines: readonly BoardLine[], view: BoardView): string {
  const { paint, columns } = view
  const isWide = columns === undefined || columns >= WIDE_COLUMNS
  const heads = [{ title: 'AGO' }, { title: 'LEFT' }, { title: 'WHO', paint: paint.cyan }, { title: 'WHAT' }]
  const rows = lines.map(({ ago, left, name, from, ...work }) => [
    ago,
    left,
    name ?? cutTo(safeLine(from), isWide ? Infinity : MAX_ADDRESS_COLUMNS),
    describeWork(work, isWide ? Infinity : MAX_PATH_COLUMNS),
  ])
  const [titles = '', ...table] = formatTable(heads, rows, { paint, columns }).split('\n')
  const body = table.flatMap((row, i) => {
    const head = lines[i]?.head ?? ''
    if (i > 0 && lines[i - 1]?.head === head) return [row]
    return [paint.bold(columns === undefined ? head : cutStartTo(head, columns)), row]
  })
  return [titles, ...body].join('\n')
}

type Work = Pick<BoardLine, 'leaseId' | 'path' | 'hasLeft' | 'remark'>

/** The file first: on a narrow terminal the rest is cut. */
function describeWork({ leaseId, path, hasLeft, remark }: Work, pathColumns: number): string {
  const words = [
    cutStartTo(safeLine(path), pathColumns),
    leaseId === undefined ? '' : '(lease)',
    hasLeft ? '(has left)' : '',
    remark,
  ]
  return words.filter((word) => word !== '').join(' ')
}
