/**
 * What the doctor looks at of the documents of a link to others: one that is not there, ends, names too many, or does not name this
 * person.
 *
 * @see FED-40, FED-41
 */
import type { Accord } from '../../authority/accord.ts'
import { CHARTER, type Charter } from '../../authority/charter.ts'
import { readDocument, type SignedDocument } from '../../authority/document.ts'
import { formatSpan } from '../../core/text/durations.ts'
import { unlessRefused } from '../../core/thrown.ts'
import { MAX_LANES } from '../../link/audience.ts'
import type { LinkFile } from '../../link/link-file.ts'
import type { Realm } from '../../link/realm.ts'
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
  return [
    ...lanesOf(name, charter, notes),
    ...endOf({ name, what: `The charter of ${org}` }, charter, nowMs, notes),
  ]
}

/** What is for members beyond the last lane leaves nowhere. */
function lanesOf(
  name: string,
  { body: { org, members } }: SignedDocument<Charter>,
  notes: Notes,
): readonly DoctorFinding[] {
  const roles = new Set(members.flatMap((one) => one.roles))
  const lanes = 1 + roles.size + members.length
  if (lanes <= MAX_LANES) return []
  return [
    notes.warn(
      `${name}-lanes`,
      `The charter of ${org} names ${roles.size} roles and ${members.length} members, and a link writes for ${MAX_LANES - 1} of them: what is for the last ${lanes - MAX_LANES} alone stays on this machine.`,
      'what is for all of them, or for a role, reaches them too',
    ),
  ]
}

/** Whether the accord of a link counts here, and goes on. @param accord - undefined where none does @param nowMs - wall time */
export function examineAccord(
  { name, realm }: { readonly name: string; readonly realm: Realm },
  accord: SignedDocument<Accord> | undefined,
  nowMs: number,
  notes: Notes,
): readonly DoctorFinding[] {
  if (!realm.startsWith('a.')) return []
  if (accord !== undefined) {
    const [a, b] = accord.body.parties.map(({ org }) => org)
    return endOf({ name, what: `The accord between ${a} and ${b}` }, accord, nowMs, notes)
  }
  return [
    notes.fail(
      `${name}-accord`,
      `The accord of "${name}" is not on this machine, or was taken back, so nothing passes over it.`,
      'agentd accord list',
    ),
  ]
}

function endOf(
  { name, what }: { readonly name: string; readonly what: string },
  {
    notAfterMs: endMs = Infinity,
    form,
  }: Pick<SignedDocument<unknown>, 'notAfterMs'> & { readonly form: { readonly noun: string } },
  nowMs: number,
  notes: Notes,
): readonly DoctorFinding[] {
  if (endMs - nowMs > ENDS_SOON_MS) return []
  const who = form.noun === 'charter' ? 'whoever keeps it signs another one' : 'both sides sign another one'
  return [
    notes.warn(
      `${name}-${form.noun}-ends`,
      endMs > nowMs
        ? `${what} ends in ${formatSpan(endMs - nowMs)}; ${who}.`
        : `${what} has ended, and nothing of its members counts; ${who}.`,
    ),
  ]
}
