/**
 * What there is of organisations, for people and programs.
 */
import type { Verdict } from '../../authority/acceptance.ts'
import type { Charter } from '../../authority/charter.ts'
import { formatDocument, stateOf } from '../../authority/document.ts'
import { UsageError } from '../../core/errors.ts'
import { safeLine } from '../../core/text/safe-text.ts'
import type { CommandContext } from '../run/command-context.ts'
import { EXIT, type ExitCode } from '../run/exit.ts'
import { readFlag } from '../run/options.ts'
import { formatTable } from '../terminal/table.ts'
import { AuthorityFolder } from './authority-folder.ts'
import { requireOrg } from './org-charters.ts'

/** `agentd org list`. */
export function listOrganisations({ environment, output }: CommandContext): ExitCode {
  const nowMs = Date.now()
  const found = [...new AuthorityFolder(environment).charters()].map(([id, verdict]) =>
    describe(`~${id}`, verdict, nowMs),
  )
  const orgs = found.filter(({ state }) => state !== 'gone')
  output.data({ organisations: orgs })
  if (orgs.length === 0) output.say('there are no organisations; "agentd org init ~acme" founds one')
  else {
    const heads = [
      { title: 'ORGANISATION', paint: output.paint.cyan },
      { title: 'EPOCH' },
      { title: 'MEMBERS' },
      { title: 'STATE' },
    ]
    const rows = orgs.map(({ org, authorityEpoch, members, state }) => [
      org,
      String(authorityEpoch ?? '-'),
      String(members ?? '-'),
      state,
    ])
    output.answer(formatTable(heads, rows, output))
  }
  for (const { org, refusal } of orgs) if (refusal !== null) output.note(`${org}: ${safeLine(refusal)}`)
  return EXIT.done
}

/** `agentd org show`. */
export function showOrganisation({ environment, output, options, args }: CommandContext): ExitCode {
  const shelf = new AuthorityFolder(environment).charters()
  const there = [...shelf.values()].flatMap(({ document }) => document ?? [])
  const wanted = args[0] === undefined ? undefined : requireOrg(args[0])
  const found = there.filter(({ body }) => wanted === undefined || body.org === wanted)
  const [document] = found
  if (document === undefined || found.length > 1) {
    const choices = there.map(({ body }) => body.org).join(', ')
    throw new UsageError(
      choices === '' ? 'There are no organisations here.' : `Say which organisation: ${choices}.`,
    )
  }
  if (readFlag(options, 'document')) {
    output.answer(formatDocument(document).trimEnd())
    return EXIT.done
  }
  const { org, members } = document.body
  const state = stateOf(document, Date.now())
  output.data({ org, authorityEpoch: document.authorityEpoch, state, members })
  output.say(`${org}, epoch ${document.authorityEpoch}, ${state}`)
  const heads = [{ title: 'MEMBER', paint: output.paint.cyan }, { title: 'ROLES' }]
  output.answer(
    formatTable(
      heads,
      members.map(({ handle, roles }) => [handle, roles.join(', ')]),
      output,
    ),
  )
  return EXIT.done
}

function describe(org: string, { document, refusal }: Verdict<Charter>, nowMs: number) {
  const state =
    document === undefined ? (refusal === undefined ? 'gone' : 'refused') : stateOf(document, nowMs)
  return {
    org,
    authorityEpoch: document?.authorityEpoch ?? null,
    members: document?.body.members.length ?? null,
    state,
    refusal: refusal?.message ?? null,
  }
}
