/**
 * Mailboxes read back: a row for each, and where what they read is.
 */
import { isPriority, type LaneRun } from '../../broker/mail/lanes.ts'
import type { Stretch } from '../../broker/mail/reading.ts'
import { Runs } from '../../broker/mail/runs.ts'
import type { Inheritance, InheritedMailbox } from '../../broker/session/ledger.ts'
import type { Logger } from '../../core/log.ts'
import { tryParseJson } from '../../core/text/json-object.ts'
import type { LaneRow, MailboxRow, RunRow } from './mail-statements.ts'
import type { Statements } from './statements.ts'

/** Everything the last daemon left of them. */
export function readMail(statements: Statements, log: Logger): Pick<Inheritance, 'mailboxes' | 'lanes'> {
  const forgotten = toRuns(statements.forgotten.all())
  const taken = new Map<string, RunRow[]>()
  for (const { address, ...run } of statements.taken.all()) {
    const there = taken.get(address)
    if (there === undefined) taken.set(address, [run])
    else there.push(run)
  }
  const mailboxes = new Map<string, InheritedMailbox>()
  for (const row of statements.mailboxes.all()) {
    const stretches = readStretches(row)
    if (stretches === undefined) {
      log.warn('mailbox-damaged')
      continue
    }
    const { address, from_seq: from, lost, cursor, holes } = row
    const exceptions = toRuns(taken.get(address) ?? []).without(forgotten)
    mailboxes.set(address, { record: { stretches, from, lost, cursor, holes }, taken: exceptions })
  }
  return { mailboxes, lanes: statements.lanes.all().flatMap((row) => readRun(row, forgotten)) }
}

function toRuns(rows: readonly RunRow[]): Runs {
  return new Runs(rows.map(({ first_seq: first, last_seq: last }) => ({ first, last })))
}

/** What is left of a run without what was forgotten of it. */
function readRun({ lane, priority, first_seq: first, last_seq: last }: LaneRow, forgotten: Runs): LaneRun[] {
  if (!isPriority(priority)) return []
  const left =
    forgotten.countIn(first, last) === 0 ? [{ first, last }] : new Runs([{ first, last }]).without(forgotten)
  return [...left].map((run) => ({ lane, priority, ...run }))
}

/** @returns undefined for what is not the store's own writing: a mailbox that is lost is one that begins anew */
function readStretches({ stretches }: MailboxRow): readonly Stretch[] | undefined {
  const value = tryParseJson(stretches)
  // The store's own writing, read back.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Array.isArray(value) ? (value as Stretch[]) : undefined
}
