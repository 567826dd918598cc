/**
 * `agentd accord request`: this machine asks the hub of an accord to let it in, as one of a side of that.
 *
 * @see FED-41, FED-44, FED-57
 */
import { Roll, type Charter } from '../../../authority/charter.ts'
import { formatDocument, stateOf, type SignedDocument } from '../../../authority/document.ts'
import { grantsOf } from '../../../authority/granting.ts'
import { UsageError } from '../../../core/errors.ts'
import { accordToken } from '../../../link/audience.ts'
import { accordRealm } from '../../../link/realm.ts'
import { AuthorityFolder } from '../../authority/authority-folder.ts'
import { requireAccord } from '../../authority/accords.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { readTextOption } from '../../run/options.ts'
import { keyWords } from '../key-words.ts'
import { handOver } from '../org/handed-over.ts'
import { nextCharter } from '../org/org-members.ts'
import { makeRequest } from '../org/own-request.ts'

/** The command's work. */
export async function requestParty(context: CommandContext): Promise<ExitCode> {
  const { args, environment, output } = context
  const folder = new AuthorityFolder(environment)
  const id = requireAccord(args[0], [...folder.accords().keys()])
  const charter = requireSide(context, folder, id)
  const { org } = charter.body
  const asked = { realm: accordRealm(accordToken(id)), whom: `the hub of the accord ${id}`, org }
  const made = await makeRequest(context, {
    ...asked,
    charter: async (keyX) => formatDocument(await namingKey(folder, charter, keyX)),
  })
  if (made === undefined) return EXIT.done
  const { handle, node, estate_key: key } = made.pending
  const path = handOver(context, made.text)
  const fingerprint = keyWords(key)
  output.data({ accord: id, org, handle, node, key: fingerprint, request: path ?? made.text })
  if (path !== undefined)
    output.say(`${handle}/${node} of ${org} asks under the accord ${id}: the request is in ${path}`)
  output.note('It holds no secret. Send it to whoever keeps the hub, who runs: agentd accord invite FILE')
  output.note(`Say your key over another way, such as by telephone: ${fingerprint}`)
  output.note('What comes back is added with: agentd link add FILE')
  return EXIT.done
}

/**
 * A charter that names the person's key, without which nobody on the other side could tell who speaks.
 *
 * @throws UsageError where it names none, or another, and this user does not sign for the organisation
 */
async function namingKey(
  folder: AuthorityFolder,
  charter: SignedDocument<Charter>,
  key: string,
): Promise<SignedDocument<Charter>> {
  const { principal: handle } = folder.handles()
  const { members, org } = charter.body
  const own = members.find((one) => one.handle === handle)
  if (own?.key === key) return charter
  if (own?.key !== undefined || folder.findSigner(org) === undefined)
    throw new UsageError(
      `The charter of ${org} names ${own?.key === undefined ? 'no key' : 'another key'} of ${handle}; whoever signs for ${org} puts it there: agentd org request ${org}, and agentd org invite.`,
    )
  const others = members.filter((one) => one.handle !== handle)
  const next = nextCharter(charter, [...others, { roles: [], ...own, handle, key }])
  await folder.signAndInstall(next, org)
  return folder.charters().get(org.slice(1))?.document ?? next
}

/** The charter of the side that this person is of. @throws UsageError for an accord that does not hold, or grants them nothing */
function requireSide(
  { options }: CommandContext,
  folder: AuthorityFolder,
  id: string,
): SignedDocument<Charter> {
  const accord = folder.accords().get(id)?.document
  if (accord === undefined || stateOf(accord, Date.now()) !== 'in force')
    throw new UsageError(`The accord ${id} is not in force here; see "agentd accord list".`)
  const { principal: handle } = folder.handles()
  const named = readTextOption(options, 'org')
  const sides = accord.body.parties.flatMap(({ org }) => {
    const charter = folder.charters().get(org.slice(1))?.document
    if (charter === undefined || (named !== undefined && named !== org)) return []
    return grantsOf(accord.body, { org, handle }, new Roll(charter.body)).length > 0 ? [charter] : []
  })
  const [side] = sides
  if (side !== undefined && sides.length === 1) return side
  if (side !== undefined)
    throw new UsageError(`Say for which side with --org: ${sides.map(({ body }) => body.org).join(', ')}.`)
  const parties = accord.body.parties.map(({ org }) => org).join(' nor ')
  throw new UsageError(
    `${handle} is a member neither of ${parties} by a charter here to whom the accord ${id} grants anything.`,
  )
}
