import { expect, test } from 'vitest'
import { authoriseHandle } from '../../../src/broker/session/caller.ts'
import { refusalOf } from '../../support/refusals.ts'
import { Workbench } from '../workbench.ts'

test("a path may name the principal's handle and those its sessions go by, and nobody else's (AC-188)", () => {
  const bench = new Workbench()
  bench.session('cc', 's1', { handle: '~cc' })

  const codes = ['~alice', '~cc', '~codex'].map(
    (handle) => refusalOf(() => authoriseHandle(handle, bench.caller(), bench.broker))?.code,
  )

  expect(codes).toEqual([undefined, undefined, 'scope-unauthorised'])
})
