/**
 * A request that somebody has handed over, looked over before anything comes of it.
 *
 * @see FED-40, FED-41
 */
import { nodeAt, readEstate } from '../../../authority/estate.ts'
import { AgentdError, UsageError } from '../../../core/errors.ts'
import { readRequest, verifyRequest, type JoinRequest } from '../../../link/joining/request.ts'
import { asUsage } from '../../run/as-usage.ts'
import { readHandedOver } from './handed-over.ts'

/**
 * That its three keys hang together: the person's key has signed the estate, the estate names the machine's now, and that has
 * signed the request.
 *
 * @throws UsageError for a file that is none, and for one in which they do not
 */
export function requireRequest(path: string): JoinRequest {
  const text = readHandedOver(path)
  const request = asUsage(() => readRequest(text))
  const { handle, node, estate, key } = request
  const nowMs = Date.now()
  const document = asUsage(() => readEstate(estate, key, nowMs))
  if (document.body.principal !== handle)
    throw new UsageError(`The request is of ${handle}, and its estate is that of ${document.body.principal}.`)
  const nodeKey = nodeAt(document, node, nowMs)
  if (nodeKey instanceof AgentdError) throw new UsageError(nodeKey.message, { cause: nodeKey })
  asUsage(() => verifyRequest(text, nodeKey))
  return request
}
