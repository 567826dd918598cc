/**
 * What needs the person, in full: who asks, since when, how long is left, the whole text, and every way to answer.
 *
 * @see SEAT-21, SEAT-28
 */
import { folderName } from '../../seat/here/session.ts'
import { readApprovalTask } from '../../seat/needs/approval.ts'
import { readDecisionQuestion, type DecisionOption } from '../../seat/needs/decision.ts'
import type { SeatNeed } from '../../seat/needs/need.ts'
import {
  APPROVAL_WARNING,
  askerName,
  BUTTONS,
  cannotAnswer,
  closedWords,
  NEED_NAMES,
  needTimes,
  signingWords,
} from '../../seat/words.ts'
import { fitLine, own, sender, senderLines, wrapOwn, type Line } from './line.ts'

/** How a card is drawn. */
export interface CardLook {
  /** Whether it still waits for the person. */
  readonly isOpen: boolean
  /** Whether the answer to an approval would be signed; undefined where that is not known. */
  readonly willSign: boolean | undefined
  readonly columns: number
  readonly nowMs: number
}

const BLANK: Line = []

/** The whole card; the screen shows as much of it as there is room for. */
export function cardLines(need: SeatNeed, look: CardLook): readonly Line[] {
  const { isOpen, columns } = look
  const cannot = cannotAnswer(need)
  return [
    fitLine([own(` ${NEED_NAMES[need.type]} from `, 'bold'), sender(askerName(need), 'cyan')], columns),
    factsLine(need, look),
    BLANK,
    ...contentLines(need, look),
    ...(cannot === undefined ? [] : [BLANK, ...wrapOwn(cannot, columns)]),
    ...(isOpen ? [] : [BLANK, ...wrapOwn(closedWords(need.closedBy), columns, 'yellow')]),
  ]
}

/** Ours, and between it what the sender calls itself. */
function factsLine(need: SeatNeed, { columns, nowMs }: CardLook): Line {
  const { title, branch, repository, isPresent, address } = need.from
  const folder = repository === undefined ? undefined : folderName(repository.replace(/\/\.git$/, ''))
  return fitLine(
    [
      own(` ${needTimes(need, nowMs)}`, 'dim'),
      ...(!isPresent && address !== '' ? [own(' · has left', 'yellow')] : []),
      ...(title === undefined ? [] : [own(' · ', 'dim'), sender(title, 'dim')]),
      ...(folder === undefined ? [] : [own(' · in ', 'dim'), sender(folder, 'dim')]),
      ...(branch === undefined ? [] : [own(' · on ', 'dim'), sender(branch, 'dim')]),
    ],
    columns,
  )
}

function contentLines(need: SeatNeed, look: CardLook): readonly Line[] {
  switch (need.type) {
    case 'decision':
      return decisionLines(need, look)
    case 'approval':
      return approvalLines(need, look)
    case 'question':
    case 'diagnostic':
    case 'task':
    case 'prompt':
    default:
      return senderLines(need.text, look.columns)
  }
}

function decisionLines(need: SeatNeed, { columns }: CardLook): readonly Line[] {
  const question = readDecisionQuestion(need.message)
  const { synopsis, findings, recommendations, offer, stem, options } = question
  const said = [synopsis, ...findings.map(asItem), ...recommendations.map(asItem), offer, stem]
  const text = stem === '' ? [need.text] : said.filter((part) => part !== '')
  return [
    ...text.flatMap((part) => senderLines(part, columns)),
    BLANK,
    ...options.flatMap((option) => optionLines(option, columns)),
    ...(question.takesOther ? [keyLine('o', BUTTONS.other, columns)] : []),
    ...(question.takesRevision ? [keyLine('r', BUTTONS.revise, columns)] : []),
  ]
}

function asItem(text: string): string {
  return `· ${text}`
}

function optionLines(
  { key, label, reasoning, isRecommended }: DecisionOption,
  columns: number,
): readonly Line[] {
  const head: Line = [
    own(`  ${key}  `, 'bold'),
    sender(label),
    ...(isRecommended ? [own('  recommended', 'green')] : []),
  ]
  return [
    fitLine(head, columns),
    ...(reasoning === '' ? [] : [fitLine([own('     '), sender(reasoning, 'dim')], columns)]),
  ]
}

function keyLine(key: string, says: string, columns: number): Line {
  return fitLine([own(`  ${key}  `, 'bold'), own(says)], columns)
}

function approvalLines(need: SeatNeed, { columns, willSign }: CardLook): readonly Line[] {
  const { summary, intent, from, hash } = readApprovalTask(need.message)
  return [
    ...senderLines(summary === '' ? need.text : summary, columns),
    BLANK,
    factLine('intent', intent, columns),
    factLine('from', from, columns),
    // Whole, on as many lines as it takes: what is approved is what has this hash.
    [own(' hash', 'dim')],
    ...senderLines(hash, columns),
    BLANK,
    ...wrapOwn(
      willSign === undefined ? APPROVAL_WARNING : `${APPROVAL_WARNING} ${signingWords(willSign)}`,
      columns,
    ),
    keyLine('y', BUTTONS.approve, columns),
    keyLine('n', BUTTONS.reject, columns),
  ]
}

/** Columns of the names of facts. */
const NAME_COLUMNS = 10

/** A fact of a sender's, on one line. */
export function factLine(name: string, value: string, columns: number): Line {
  return fitLine([own(` ${name.padEnd(NAME_COLUMNS)} `, 'dim'), sender(value)], columns)
}
