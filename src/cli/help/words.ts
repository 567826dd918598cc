/**
 * Topics about what is written behind options: scopes, filters, kinds, durations.
 */
import { FILTER_AXES } from '../../protocol/frame/filter.ts'
import { KIND_TABLE } from './kind-words.ts'
import type { Topic } from './topic.ts'

export const SCOPES: Topic = {
  name: 'scopes',
  says: 'whom a frame is for',
  blocks: [
    { text: 'Without a scope a frame goes to all of your own sessions. --scope takes:' },
    {
      rows: [
        ['~alice, ~alice/*', "all of alice's sessions"],
        ['~alice/cc-*', 'those whose instrument begins with cc-'],
        ['~alice/cc-opus@s1', 'one session, by its address'],
        ['org:~acme/members/*', 'everybody in an organisation'],
        ['org:~acme/members/reviewer/*', 'its members in one role'],
        ['accord:<id>/grant:<name>', 'whom a grant of an accord reaches'],
      ],
    },
    {
      text: '~org stands for the one organisation you are in. --to takes a session instead: its name on "agentd roster", a beginning of that or of its id which no other has. What may be several is refused, with their names, and nothing is sent.',
    },
    {
      example: [
        `agentd advise "rebasing main" --scope '~alice/cc-*'`,
        'agentd ask "who has the port?" --to api-refactor',
      ],
    },
  ],
}

export const FILTERS: Topic = {
  name: 'filters',
  says: 'what a stream or the history shows',
  blocks: [
    {
      text: '--filter takes clauses with commas between them, each an axis, a colon and a value. All of them must match. An axis or a value that does not exist is refused; it never lets more through.',
    },
    { rows: FILTER_AXES },
    {
      text: 'The short name of a kind will do, see "agentd help kinds". "agentd history" has --kind, --sender, --since, --before and --grep besides.',
    },
    {
      example: [
        'agentd tail --filter kind:query,sender:~alice',
        'agentd history --kind agent_handover --since 2d --grep refresh',
      ],
    },
  ],
}

export const KINDS: Topic = {
  name: 'kinds',
  says: 'the fifteen kinds of frames',
  blocks: [
    { rows: KIND_TABLE.map(([kind, , says]) => [kind, says] as const) },
    {
      text: 'Lines show them without agent_ or peer_ and with spaces: "lock request". The everyday ones have a command each; "agentd send --kind" takes any.',
    },
    { example: [`agentd send --kind agent_return_event '{"return_event_ref":"run/41"}'`] },
  ],
}

export const DURATIONS: Topic = {
  name: 'durations',
  says: 'how long, and how long ago',
  blocks: [
    {
      rows: [
        ['5', 'five seconds, as for sleep(1)'],
        ['90s, 10m, 2h, 2d', 'seconds, minutes, hours, days'],
        ['5m30s', 'both; the longest unit first, each once'],
        ['500ms', 'milliseconds'],
      ],
    },
    {
      text: 'Where a time in the past is meant (--since, --before), a duration is how long ago it was, always with its unit, and an RFC 3339 time will do: 2027-01-01T00:00:00Z.',
    },
    { example: ['agentd ask "still there?" --timeout 90s', 'agentd history --since 2h'] },
  ],
}
