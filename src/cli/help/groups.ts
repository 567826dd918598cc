/**
 * What a person wants to do, as the headings under which the commands stand in help, in the manual and in the documentation.
 *
 * A command names its group in its own file, with `helpGroup`.
 */

/** Group → its heading, in the order in which they are shown. */
export const GROUPS = {
  tell: 'Tell the others:',
  ask: 'Ask, answer, decide:',
  files: 'Files and leases:',
  read: 'Look and listen:',
  seat: 'Your seat:',
  agents: 'Agents and git:',
  people: 'Machines and people:',
  envelopes: 'Envelopes and evidence:',
  daemon: 'The daemon:',
  command: 'Help:',
} as const

/** One of the groups. */
export type Group = keyof typeof GROUPS

/** All headings, in order. */
const HEADINGS: readonly string[] = Object.values(GROUPS)

/** Where a heading stands among the others; behind all of them for one that is in no group. */
export function placeOfHeading(heading: string): number {
  const place = HEADINGS.indexOf(heading)
  return place === -1 ? HEADINGS.length : place
}
