/**
 * `agentd org request`: this machine asks an organisation to let it in.
 *
 * @see FED-41, FED-44
 */
import { orgRealm } from '../../../link/realm.ts'
import { requireOrg } from '../../authority/org-charters.ts'
import type { CommandContext } from '../../run/command-context.ts'
import { EXIT, type ExitCode } from '../../run/exit.ts'
import { handOver } from './handed-over.ts'
import { keyWords } from '../key-words.ts'
import { makeRequest } from './own-request.ts'

/** The command's work. */
export async function requestMembership(context: CommandContext): Promise<ExitCode> {
  const { args, output } = context
  const org = requireOrg(args[0])
  const made = await makeRequest(context, { realm: orgRealm(org), whom: org })
  if (made === undefined) return EXIT.done
  const { handle, node, estate_key: key } = made.pending
  const path = handOver(context, made.text)
  const fingerprint = keyWords(key)
  output.data({ org, handle, node, key: fingerprint, request: path ?? made.text })
  if (path !== undefined) output.say(`${handle}/${node} asks ${org}: the request is in ${path}`)
  output.note(
    `It holds no secret. Send it to whoever keeps ${org}, who runs: agentd org invite FILE --role dev`,
  )
  output.note(`Say your key over another way, such as by telephone: ${fingerprint}`)
  output.note('What comes back is added with: agentd link add FILE')
  return EXIT.done
}
