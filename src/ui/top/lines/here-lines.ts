/**
 * Who is here, a line each: the mark, the name, what it does, and at which file somebody else is too.
 *
 * @see SEAT-10, SEAT-20, SEAT-24
 */
import type { Collision } from '../../seat/here/collisions.ts'
import type { HereLine } from '../../seat/here/here-list.ts'
import { folderName } from '../../seat/here/session.ts'
import { hereSince, hereWords } from '../../seat/words.ts'
import { NARROW_COLUMNS } from './drawing.ts'
import { cell, fitLine, own, sender, spread, type Line, type Style } from './line.ts'
import { markOf, nameColumns } from './need-lines.ts'

/** How the list is drawn. */
export interface HereListView {
  readonly chosen: string | undefined
  readonly collisions: readonly Collision[]
  readonly columns: number
  readonly nowMs: number
}

const MARK_STYLES: Readonly<Record<HereLine['mark'], Style>> = { '▲': 'yellow', '●': 'green', '○': 'dim' }

const TITLE_COLUMNS = 16

/** From here on there is room for what a session calls its work. */
const LEAST_WITH_TITLE = 96

/** The lines, in the order of the list. */
export function hereLines(lines: readonly HereLine[], view: HereListView): readonly Line[] {
  const width = nameColumns(
    lines.map(({ session }) => session.called),
    view.columns,
  )
  return lines.map((line) => hereLine(line, width, view))
}

function hereLine(line: HereLine, width: number, view: HereListView): Line {
  const { session, mark, doing } = line
  const { chosen, columns, nowMs } = view
  const words = hereWords(line)
  const titles =
    columns < LEAST_WITH_TITLE ? [] : [cell(sender(titleOf(line), 'dim'), TITLE_COLUMNS), own('  ')]
  const left: Line = [
    markOf(session.address === chosen),
    own(`${mark} `, MARK_STYLES[mark]),
    cell(sender(session.called, 'cyan'), width),
    own('  '),
    ...titles,
    own(words === '' || doing === undefined ? words : `${words} `),
    ...(doing === undefined ? [] : [sender(doing)]),
  ]
  const clash = collisionOf(session.address, view)
  const since = hereSince(line, nowMs)
  return spread(left, clash ?? (since === '' ? [] : [own(`${since} `, 'dim')]), columns)
}

/** What it calls its work; otherwise where it works. */
function titleOf({ session, folder }: HereLine): string {
  const { title, branch = folder } = session
  return title ?? (branch === undefined ? '' : `⎇ ${branch}`)
}

/** `⚠ auth.ts with codex@k2`; undefined for who is at no file of somebody else's. */
function collisionOf(address: string, { collisions, columns }: HereListView): Line | undefined {
  const found = collisions.filter(({ parties }) => parties.some(({ session }) => session.address === address))
  const [first] = found
  if (first === undefined) return undefined
  const other = first.parties.find(({ session }) => session.address !== address)
  const style = first.worktree === 'same' ? 'red' : 'yellow'
  if (columns < NARROW_COLUMNS) return [own('⚠ ', style)]
  const more = found.length > 1 ? ` +${found.length - 1}` : ''
  const most = Math.floor(columns / 5)
  return [
    own('⚠ ', style),
    ...fitLine([sender(folderName(first.path), style)], most),
    own(' with '),
    ...fitLine([sender(other?.session.called ?? '')], most),
    own(`${more} `),
  ]
}
