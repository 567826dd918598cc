/**
 * The daemon killed between a task, the person's yes and the worker's run: nothing is done twice, and nothing that nobody has
 * approved (SEAT-11, R-14).
 */
import { expect, test, vi } from 'vitest'
import { readApprovalRequest } from '../../../src/aee/intents/approval.ts'
import { connect, type AgentdClient } from '../../../src/client/index.ts'
import { agentd, words } from '../../cli/support.ts'
import { hireWorker, PERSON } from '../../support/approvals.ts'
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { within } from '../../support/within.ts'

/** What the person is asked about. */
const DOOR_7 = '{"door":7}'
const DOOR_8 = '{"door":8}'

/** A place where one daemon after the other serves; killed, the next one takes it. */
async function openPlace() {
  const dir = await createTempDir()
  let daemon: TestDaemon = await startTestDaemon({ dir })
  return {
    socket: daemon.socket,
    run: (line: string) => agentd(daemon.env, words(line)),
    async kill() {
      await daemon.stop('SIGKILL')
      daemon = await startTestDaemon({ dir })
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await dir[Symbol.asyncDispose]()
    },
  }
}

/** The approvals that wait for the person: what is asked about → the id. */
async function asked(client: AgentdClient, count: number): Promise<ReadonlyMap<string, string>> {
  return vi.waitFor(async () => {
    const { needs } = await client.needs()
    expect(needs).toHaveLength(count)
    return new Map(needs.map(({ needId, text }) => [/\{.*\}/.exec(text)?.[0] ?? text, needId]))
  }, 15_000)
}

/** Reached when the first of them is, and left when it is let go of. */
function gate() {
  let reach: (() => void) | undefined
  let leave: (() => void) | undefined
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const left = new Promise<void>((resolve) => (leave = resolve))
  return {
    reached: () => within(reached, 'the worker at the door', 15_000),
    leave: () => leave?.(),
    wait: (): Promise<void> => {
      reach?.()
      return left
    },
  }
}

test.for(['before the yes', 'behind the yes', 'while the worker is at it'] as const)(
  'a daemon that is killed %s: the approved door is opened once, the other one never (SEAT-11)',
  { timeout: 60_000 },
  async (moment) => {
    await using place = await openPlace()
    await using client = await connect({ socket: place.socket })
    const door = gate()
    const worker = await hireWorker(client, {}, door.wait)
    const [approved, rejected] = [worker.give(7), worker.give(8)]
    const before = await asked(client, 2)
    const approve = (ids: ReadonlyMap<string, string>) => place.run(`approve ${ids.get(DOOR_7)} --yes`)

    if (moment === 'before the yes') await place.kill()
    expect(await approve(await asked(client, 2))).toMatchObject({ code: 0 })
    if (moment === 'behind the yes') await place.kill()
    await door.reached()
    if (moment === 'while the worker is at it') await place.kill()
    const after = await asked(client, 1)
    door.leave()
    const again = await place.run(`approve ${before.get(DOOR_7)} --yes`)
    await place.run(`reject ${after.get(DOOR_8)} --yes`)

    expect((await approved.end).type).toBe('result')
    expect((await rejected.end).payload).toMatchObject({ code: 'E_REJECTED' })
    expect(again).toMatchObject({ code: 2 })
    expect(worker.opened).toEqual([7])
  },
)

test(
  'a yes that is given twice, once to each daemon, opens the door once (SEAT-11)',
  { timeout: 60_000 },
  async () => {
    await using place = await openPlace()
    await using client = await connect({ socket: place.socket })
    const worker = await hireWorker(client)
    const { end } = worker.give(7)
    await asked(client, 1)
    const { envelope } = (await client.needs()).needs[0] ?? {}
    if (envelope === undefined) throw new Error('the approval is not told whole')
    const { task } = readApprovalRequest(envelope.payload) ?? {}
    const sayYes = async (): Promise<void> => {
      const seat = await client.session({ instrument: 'human', tool: 'human', entities: [PERSON] })
      const { id, from, intent, corr } = envelope
      const draft = { type: 'result', from: PERSON, to: from, intent, corr, replyTo: id } as const
      await seat.sendEnvelope({ ...draft, payload: { approved: true, task } })
      await seat.close()
    }

    await sayYes()
    await place.kill()
    await sayYes()

    expect((await end).type).toBe('result')
    // Whatever was on its way has come when this has.
    worker.give(9)
    await asked(client, 1)
    expect(worker.opened).toEqual([7])
  },
)
