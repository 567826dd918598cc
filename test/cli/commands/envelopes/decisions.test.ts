/**
 * What the boundary decides, told in the workflow it decides about, and shown there. Uses the built program.
 */
import { expect, test } from 'vitest'
import { startTestDaemon } from '../../../support/daemon.ts'
import { sendEnvelope, validEnvelope } from '../../../support/envelopes.ts'
import { request } from '../../../support/http.ts'
import { agentd } from '../../support.ts'

test('where the person asked for it, an export says in the workflow what left, what was blacked out and what stayed (AEE-093, AEE-C11)', async () => {
  await using daemon = await startTestDaemon({
    config: {
      aee: { aocl: true, signatures: 'relay', boundary: { intents: ['ops.*'], redact: ['payload.secret'] } },
    },
  })
  const corr = 'a-workflow-to-leave'
  const envelopes = [
    validEnvelope({ corr, payload: {} }),
    validEnvelope({ corr, payload: { secret: 'hush' } }),
    validEnvelope({ corr, intent: 'docs.read' }),
  ]
  for (const envelope of envelopes) await sendEnvelope(daemon.socket, envelope)

  const exported = await agentd(daemon.env, ['envelope', 'export', corr])
  const { body } = await request(daemon.socket, `/v1/threads/${corr}`)
  const drawn = await agentd(daemon.env, ['envelope', 'thread', corr])

  expect(exported.code).toBe(0)
  const events = body.items
    .map(({ envelope }: { envelope: Record<string, unknown> }) => envelope)
    .filter(({ intent }: { intent: string }) => intent === 'aocl.layer.decision')
  expect(events).toMatchObject(
    ['BOUNDARY_PASSED', 'BOUNDARY_REDACTED', 'BOUNDARY_REFUSED'].map((code, i) => ({
      from: 'human.alice',
      to: 'log.aocl',
      reply_to: envelopes[i]?.id,
      payload: { layer: { id: 'agentd.boundary' }, decisions: [{ code }] },
    })),
  )
  expect(drawn.stdout).toMatch(/└ event aocl\.layer\.decision .*BOUNDARY_REFUSED/)
  expect(JSON.stringify(events)).not.toContain('hush')
})
