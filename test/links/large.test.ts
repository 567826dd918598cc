/**
 * A hub that takes little at once: who says more hears of it with the answer, and the receipts say so too (FED-18, FT-16).
 */
import { describe, expect, test } from 'vitest'
import { agentd } from '../cli/support.ts'
import { validFrame } from '../support/frames.ts'
import { hasProgram, isSo } from '../support/needs.ts'
import { startMachines } from './machines.ts'

const canRun =
  hasProgram('nats-server') && isSo(process.platform === 'linux', 'they look for processes in /proc')

describe.runIf(canRun)('over a hub that takes 64 KiB at once', () => {
  test('what is larger stays here, which its answer says, and what is said next goes on (FED-18, FT-16)', async () => {
    await using machines = await startMachines({ maxPayload: 65_536 })
    const { devbox, laptop } = machines
    const payload = { previous_session_id: 's1', next_session_id: 's2', handover_body: 'x'.repeat(62_000) }

    const { body: large } = await laptop.ask('/v1/frames', validFrame('agent_handover', { payload }))
    await laptop.say('small')
    await devbox.hears('laptop', 1)
    const { body: receipts } = await laptop.ask(`/v1/frames/${large.frame_id}`)

    expect(large.warnings.map(({ code }: { code: string }) => code)).toEqual(['envelope-too-large'])
    expect(receipts.receipts).toContainEqual(
      expect.objectContaining({ state: 'refused', code: 'envelope-too-large' }),
    )
    expect((await devbox.history()).map(({ text }) => text)).toEqual(['small'])
  })

  test('what is too large only when it is sealed stays here too, and its answer says so (FED-18, FED-46)', async () => {
    await using machines = await startMachines({ maxPayload: 65_536 })
    const { devbox, laptop } = machines
    const payload = { previous_session_id: 's1', next_session_id: 's2', handover_body: 'x'.repeat(48_000) }

    const { body: plain } = await laptop.ask('/v1/frames', validFrame('agent_handover', { payload }))
    await devbox.hears('laptop', 1)
    await agentd(laptop.env, ['link', 'allow', 'home', '--seal'])
    await laptop.when(
      'it to be sealed',
      async () => (await laptop.ask('/v1/links')).body.links[0].state === 'up',
    )
    const { body: sealed } = await laptop.ask('/v1/frames', validFrame('agent_handover', { payload }))
    await laptop.say('small')

    expect(plain.warnings ?? []).toEqual([])
    expect(sealed.warnings.map(({ code }: { code: string }) => code)).toEqual(['envelope-too-large'])
    expect((await devbox.hears('laptop', 2)).at(-1)).toBe('small')
  })
})
