/**
 * The daemon asked about its links, and told that there is something new to read.
 *
 * @see docs/http.md §13; FED-65
 */
import { callOnce } from '../../client/http/one-call.ts'
import { readRefusal, readReplyBody } from '../../client/http/refusal.ts'
import { AgentdUnreachable } from '../../client/index.ts'
import { systemErrorCode } from '../../core/thrown.ts'
import { readPersonKey } from '../../host/config/paths.ts'
import { findOwner } from '../../host/process/instance-owner.ts'
import { LinksReply, type LinkReply } from '../../protocol/http/links-reply.ts'
import { ROUTES } from '../../protocol/routes/routes.ts'
import type { CommandContext } from '../run/command-context.ts'

const NOT_FOUND = 404

/**
 * How every link is.
 *
 * @returns none where there is no link, nor a path that tells of them
 * @throws AgentdUnreachable, AgentdError as the daemon refuses
 */
export async function askLinks(
  socketPath: string,
  { environment, token }: Pick<CommandContext, 'environment' | 'token'>,
): Promise<readonly LinkReply[]> {
  const { method, path } = ROUTES.getLinks
  const personKey = token === undefined ? readPersonKey(environment) : undefined
  const answer = await callOnce({ socketPath, method, path, token, personKey })
  if (answer.kind !== 'answered') throw new AgentdUnreachable(socketPath, answer.how)
  if (answer.status === NOT_FOUND) return []
  const body = Buffer.from(answer.text)
  if (answer.status >= 300) throw readRefusal(answer.status, {}, body)
  return LinksReply.parse(readReplyBody(body)).links
}

/**
 * Has the daemon read its configuration again. It is the process that holds the place, by its own word beside its socket;
 * asking for its links is what makes it look at their folders.
 */
export function reloadDaemon(socketPath: string): void {
  const owner = findOwner(socketPath)
  try {
    if (owner !== undefined) process.kill(owner.pid, 'SIGHUP')
  } catch (error) {
    // It went just now, and reads everything when it comes again.
    if (systemErrorCode(error) !== 'ESRCH') throw error
  }
}
