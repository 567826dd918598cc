import { expect, test } from 'vitest'
import { DedupWindow } from '../../../src/broker/submit/dedup.ts'
import { FakeClock } from '../../support/fake-clock.ts'

test('a frame the store refused may be sent again, also when the window turned over in the same turn (R-14, R-21)', () => {
  const window = new DedupWindow<string>(new FakeClock())
  window.remember('refused', 'digest')
  for (let i = 1; i < 65_536; i += 1) window.remember(`id-${i}`, 'digest')
  // The generation is full: this look turns it over, and the refused id lies in the older one.
  expect(window.check('refused', 'digest')).toMatchObject({ kind: 'again' })

  window.forget('refused')

  expect(window.check('refused', 'digest')).toEqual({ kind: 'first' })
})
