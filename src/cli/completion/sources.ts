/**
 * Where the words come from that may stand for an argument or for the value of an option.
 *
 * By what stands for the value in help, so that a new command needs no row here; by its place where the same word means
 * several things.
 */

/** What is asked for when a key is pressed: the daemon that runs, and this person's own files. */
export const ASKED_SOURCES = [
  'sessions',
  'scopes',
  'leases',
  'leased',
  'filters',
  'needs',
  'questions',
  'decisions',
  'approvals',
  'frames',
  'handovers',
  'events',
  'threads',
  'keys',
  'links',
  'handles',
  'orgs',
  'accords',
] as const

/** One of those. */
export type AskedSource = (typeof ASKED_SOURCES)[number]

/** What stands in the script, since it does not change: runtimes, commands and topics, keys of the configuration. */
type FixedSource = 'runtimes' | 'help' | 'config-keys'

export type Source = AskedSource | FixedSource

export function isAskedSource(text: string): text is AskedSource {
  return ASKED_SOURCES.some((source) => source === text)
}

/** Placeholder → source. */
const BY_PLACEHOLDER: Readonly<Record<string, Source>> = {
  session: 'sessions',
  sender: 'sessions',
  scope: 'scopes',
  lease: 'leases',
  query: 'questions',
  kid: 'keys',
  'frame-id': 'frames',
  frame: 'handovers',
  'event-id': 'events',
  corr: 'threads',
  handle: 'handles',
  org: 'orgs',
  accord: 'accords',
  runtime: 'runtimes',
  word: 'help',
  key: 'config-keys',
}

/** Command and placeholder → source, where the placeholder alone does not say it; undefined: nothing of that sort. */
const BY_PLACE: Readonly<Record<string, Source | undefined>> = {
  'decide id': 'decisions',
  'approve id': 'approvals',
  'reject id': 'approvals',
  'dismiss id': 'needs',
  'roster name': 'sessions',
  'link allow name': 'links',
  'link remove name': 'links',
  // What it is on, and the id, which alone is certain.
  'unlock lease': 'leased',
  'extend lease': 'leased',
  'history expression': 'filters',
  'tail expression': 'filters',
  // A new one, and a scope that is no scope.
  'org init org': undefined,
  'handles add handle': undefined,
  'keys new kid': undefined,
  'setup scope': undefined,
  'org member add key': undefined,
}

/** @param path - of the command, without the program */
export function sourceOf(path: readonly string[], placeholder: string): Source | undefined {
  const place = [...path, placeholder].join(' ')
  if (Object.hasOwn(BY_PLACE, place)) return BY_PLACE[place]
  return Object.hasOwn(BY_PLACEHOLDER, placeholder) ? BY_PLACEHOLDER[placeholder] : undefined
}
