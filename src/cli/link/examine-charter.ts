/**
 * What the doctor looks at of the charter of an organisation's link: one that is not there, ends, or does not name this person.
 *
 * @see FED-40, FED-41
 */
import { CHARTER, type Charter } from '../../authority/charter.ts'
import { readDocument, type SignedDocument } from '../../authority/document.ts'
import { formatSpan } from '../../core/text/durations.ts'
import { unlessRefused } from '../../core/thrown.ts'
import type { LinkFile } from '../../link/link-file.ts'
import type { DoctorFinding, Notes } from '../../runtimes/doctor/finding.ts'

/** How soon the end of a document is worth a word. */
const ENDS_SOON_MS = 14 * 86_400_000

/** The charter of an organisation that counts on this machine now; undefined where none does. */
export type CharterOf = (org: string) => SignedDocument<Charter> | undefined

/** Whether the charter of an organisation's link counts here, names this person by their key, and goes on. @param nowMs - wall time */
export function examineCharter(
  { name, file }: { readonly name: string; readonly file: LinkFile },
  charterOf: CharterOf,
  nowMs: number,
  notes: Notes,
): readonly DoctorFinding[] {
  const { charter: text, handle, realm, estate_key: key } = file
  const joined = text === undefined ? undefined : unlessRefused(() => readDocument(CHARTER, text))
  if (joined === undefined || handle === undefined || !realm.startsWith('o.')) return []
  const { org } = joined.body
  const charter = charterOf(org)
  if (charter === undefined)
    return [
      notes.fail(
        `${name}-charter`,
        `No charter of ${org} counts on this machine, so nothing of its members does.`,
        `agentd org list says why; whoever keeps ${org} prints it with: agentd org show ${org} --document`,
      ),
    ]
  const member = charter.body.members.find((one) => one.handle === handle)
  if (member === undefined || (member.key !== undefined && member.key !== key))
    return [
      notes.fail(
        `${name}-member`,
        `The charter of ${org} ${member === undefined ? `does not name ${handle}` : `names another key of ${handle} than this machine's`}: what is sent over "${name}" counts with nobody.`,
        `whoever keeps ${org} lets this machine in: agentd org request ${org}`,
      ),
    ]
  const endMs = charter.notAfterMs ?? Infinity
  if (endMs - nowMs > ENDS_SOON_MS) return []
  return [
    notes.warn(
      `${name}-charter-ends`,
      endMs > nowMs
        ? `The charter of ${org} ends in ${formatSpan(endMs - nowMs)}; whoever keeps it signs another one.`
        : `The charter of ${org} has ended, and nothing of its members counts; whoever keeps it signs another one.`,
    ),
  ]
}
