/**
 * The daemon told of a link that was added or changed, and the link watched until it is up or says why it is not.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { LinkReply } from '../../protocol/http/links-reply.ts'
import type { CommandContext } from '../run/command-context.ts'
import { reachDaemon } from '../run/reach.ts'
import { findDaemon } from '../run/stop-daemon.ts'
import { askLinks, reloadDaemon } from './ask-links.ts'
import { linkData, linkLines } from './link-lines.ts'

/** A bridge starts, connects and reads within a second; a name that nobody answers to takes longer. */
const SETTLED_MS = 8_000

const LOOK_EVERY_MS = 100

/**
 * Says how a link is. The daemon is started for it, where that is allowed.
 *
 * @returns whether the link is one that the daemon knows; whether it is up it says itself
 */
export async function tellLink(context: CommandContext, name: string): Promise<boolean> {
  const { output } = context
  const client = context.mayStart ? await reachDaemon(context) : await findDaemon(context)
  if (client === undefined) {
    output.data({ name, state: 'not-running' })
    output.note('agentd is not running; the link begins when it does.')
    return true
  }
  const { socketPath } = client
  await client.close()
  reloadDaemon(socketPath)
  output.status('waiting for the hub …')
  const link = await settled(socketPath, context, name)
  output.status('')
  if (link === undefined) {
    output.note('The daemon knows no such link yet; "agentd link status" says more.')
    return false
  }
  output.data(linkData(link))
  for (const line of linkLines(link, Date.now(), output.paint)) output.say(line)
  return true
}

/** The link when it is up, or refused, or when waiting has taken too long. */
async function settled(
  socketPath: string,
  context: CommandContext,
  name: string,
): Promise<LinkReply | undefined> {
  const untilMs = performance.now() + SETTLED_MS
  for (;;) {
    const link = (await askLinks(socketPath, context)).find((one) => one.name === name)
    if (link !== undefined && link.state !== 'starting' && link.state !== 'away') return link
    if (performance.now() > untilMs) return link
    await pause(LOOK_EVERY_MS)
  }
}
