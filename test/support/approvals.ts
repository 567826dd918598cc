/**
 * A worker that does nothing but what a person has approved, and somebody who gives it tasks (SEAT-11).
 */
import { randomUUID } from 'node:crypto'
import {
  approveBy,
  type AgentdClient,
  type ApproveOptions,
  type Envelope,
  type KeyRing,
} from '../../src/client/index.ts'
import { readKey } from '../../src/client/aee.ts'

/** The worker, the person it asks, and what it is given to do. */
export const WORKER = 'agent.worker'
export const PERSON = 'human.alice'
export const DOOR_INTENT = 'ops.door.open'

/** A task that was given. */
export interface GivenTask {
  /** The workflow it belongs to. */
  readonly corr: string
  /** What came of it. */
  readonly end: Promise<Envelope>
}

/** A worker at its entity. */
export interface HiredWorker {
  /** The doors it opened, in order. */
  readonly opened: readonly unknown[]
  /** Gives it a door to open that a person has to approve. */
  give(door: number): GivenTask
}

/**
 * @param options - how it asks the person, who need not sit anywhere yet
 * @param atDoor - what it waits for at a door it has opened
 */
export async function hireWorker(
  client: AgentdClient,
  options: Partial<ApproveOptions> = {},
  atDoor: () => Promise<void> = () => Promise.resolve(),
): Promise<HiredWorker> {
  const visit = await client.session({ instrument: 'human', tool: 'human', entities: [PERSON] })
  await visit.close()
  const session = await client.session({ instrument: 'worker', entities: [WORKER] })
  const opened: unknown[] = []
  const approve = approveBy(session, { person: PERSON, waitForPerson: true, ...options })
  const open = async ({ payload }: Envelope): Promise<void> => {
    opened.push(payload['door'])
    await atDoor()
  }
  await session.serve(WORKER, { [DOOR_INTENT]: open }, { approve }).opened
  return {
    opened,
    give(door) {
      const corr = randomUUID()
      const requires = { human_approval: true, timeout_ms: 60_000 }
      const draft = { from: 'agent.boss', to: WORKER, intent: DOOR_INTENT, corr, requires, payload: { door } }
      const { terminal } = client.request(draft, { timeoutMs: 60_000 })
      const end = terminal.then(({ envelope }) => envelope)
      // Not every test waits for the end of every task.
      end.catch(() => {})
      return { corr, end }
    },
  }
}

/** A key of the person's. */
export interface PersonKey {
  readonly kid: string
  /** What another program may trust: its public part. */
  readonly keys: KeyRing
}

/** Makes one. @param run - a command of the person's */
export async function makeKey(
  run: (line: string) => Promise<{ readonly stdout: string }>,
): Promise<PersonKey> {
  const { kid } = JSON.parse((await run(`keys new ${PERSON} --json`)).stdout)
  const key = readKey((await run(`keys export ${kid}`)).stdout)
  return { kid, keys: { find: (wanted) => (wanted === kid ? key : undefined) } }
}

/** What the person has answered in a workflow. */
export async function answerIn(client: AgentdClient, corr: string): Promise<Envelope> {
  const { items } = await client.thread(corr)
  const found = items.find(({ envelope }) => envelope.from === PERSON)
  if (found === undefined) throw new Error('the person has answered nothing')
  return found.envelope
}
