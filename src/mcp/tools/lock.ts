/**
 * `agentd_lock`: announces that a session is at work on something, and tells who else is.
 *
 * Advisory: nothing is ever withheld from anybody. Taking a lease succeeds whoever holds another one.
 *
 * @see memo §5, AC-061…AC-068; PD-07
 */
import { AgentdError } from '../../core/errors.ts'
import * as z from 'zod'
import { leaseKey } from '../../protocol/board/lease-key.ts'
import { DEFAULT_LEASE_SECONDS, MAX_LEASE_SECONDS } from '../session/bounds.ts'
import { readLiveLeases, type LiveLease } from './live-leases.ts'
import { ToolFailure } from '../session/failure.ts'
import { reachedFacts } from './reached.ts'
import { toLeaseFacts } from './roster.ts'
import { Text, tool, type Facts, type Tool, type ToolCall } from '../session/tool.ts'

const Input = {
  action: z.enum(['acquire', 'release', 'extend']),
  resource: Text.optional(),
  lease_id: Text.optional(),
  seconds: z.int().min(1).max(MAX_LEASE_SECONDS).default(DEFAULT_LEASE_SECONDS),
  intent: Text.optional(),
}

type Wish = z.infer<z.ZodObject<typeof Input>>

/** The tool. */
export const lockTool: Tool = tool({
  name: 'agentd_lock',
  description:
    'Tell others that you work on a resource (a repository-relative path, or any name), for how long and why, or ' +
    'that you have ended. Advisory: it stops nobody; held_by names others with a live lease on it. Release and ' +
    'extend take lease_id or resource.',
  input: Input,
  output: {
    lease_id: { type: 'string' },
    resource: { type: 'string' },
    held_by: { type: 'array', items: { type: 'object' } },
  },
  isReadOnly: false,
  run: (wish, call) => (wish.action === 'acquire' ? acquire(wish, call) : follow(wish, call)),
})

async function acquire({ resource, seconds, intent }: Wish, call: ToolCall): Promise<Facts> {
  if (resource === undefined) {
    throw new AgentdError('field-missing', '"resource" is required to acquire a lease.', {
      field: 'resource',
    })
  }
  const args = { resource, ttl_ms: seconds * 1_000, intent }
  const sent = await call.session.verb('agent_lock_acquire', args)
  const { leaseId } = sent
  if (leaseId !== undefined) call.ownLeases.add(leaseKey(leaseId, call.session.address))
  // Looked for only now: of two that ask at the same moment, each sees the other.
  const others = (await readLiveLeases(call)).filter((lease) => lease.resource === resource && !lease.isOwn)
  const nowMs = call.clock.nowMs()
  return {
    lease_id: leaseId,
    resource,
    held_by: others.map((lease) => toLeaseFacts(lease, nowMs)),
    ...reachedFacts(sent),
  }
}

async function follow(wish: Wish, call: ToolCall): Promise<Facts> {
  const { key, leaseId, resource } = await requireOwnLease(wish, call)
  const sent =
    wish.action === 'release'
      ? await call.session.unlock(leaseId, { resource })
      : await call.session.verb('agent_lease_extend', {
          lease_id: leaseId,
          additional_ttl_ms: wish.seconds * 1_000,
        })
  if (wish.action === 'release') call.ownLeases.delete(key)
  return { lease_id: leaseId, resource, ...reachedFacts(sent) }
}

/** @throws ToolFailure `not-found` for a lease that has ended, or is somebody else's */
async function requireOwnLease({ lease_id: id, resource }: Wish, call: ToolCall): Promise<LiveLease> {
  if (id === undefined && resource === undefined) {
    throw new AgentdError('field-missing', 'Name the lease by "lease_id" or by "resource".', {
      field: 'lease_id',
    })
  }
  const own = (await readLiveLeases(call)).filter(({ isOwn }) => isOwn)
  const found = own.find((lease) =>
    id === undefined ? lease.resource === resource : lease.leaseId.toLowerCase() === id.toLowerCase(),
  )
  if (found !== undefined) return found
  const field = id === undefined ? 'resource' : 'lease_id'
  throw new ToolFailure(
    'not-found',
    'You hold no such live lease; agentd_roster lists those that live.',
    field,
  )
}
