/** A question whose answers nobody may send is taken, and warned of (memo §5.7, §6; ACQ-17). */
import { expect, test } from 'vitest'
import { validPayload } from '../../support/frames.ts'
import { Workbench } from '../workbench.ts'

function ask(response_scope: string) {
  const bench = new Workbench()
  const payload = { ...validPayload('agent_query'), response_scope }
  return bench.publish({ kind: 'agent_query', frame: { payload } })
}

test.each([
  ['~bob/*', 'scope-unauthorised'],
  ['~bob/cc@s1', 'scope-unauthorised'],
  ['accord:~acme/grant:read', 'scope-unimplemented'],
])('nobody here may answer to %s: %s (ACQ-17, AC-123)', (scope, code) => {
  expect(ask(scope).warnings).toEqual([
    { code, field: 'payload.response_scope', message: expect.stringContaining(`"${scope}"`) },
  ])
})

test.each(['~alice', '~alice/*', '~alice/cc-*', '~alice/cc@nobody-yet'])(
  '%s is somebody’s to answer to, whoever is there (ACQ-17)',
  (scope) => {
    expect(ask(scope)).not.toHaveProperty('warnings')
  },
)
