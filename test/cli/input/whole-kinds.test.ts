import { expect, test } from 'vitest'
import { wholeKinds } from '../../../src/cli/input/whole-kinds.ts'
import { KIND_NAMES } from '../../../src/protocol/frame/kinds.ts'
import { spokenKind } from '../../../src/protocol/frame/summary.ts'

test.each(KIND_NAMES)('a filter takes %s as a line shows it, and whole', (kind) => {
  const shown = spokenKind(kind)

  for (const written of [shown, shown.replaceAll(' ', '-'), shown.replaceAll(' ', '_'), kind])
    expect(wholeKinds(`tool:cc,kind:${written}`)).toBe(`tool:cc,kind:${kind}`)
})

test('what is no kind stays, for the refusal to name', () => {
  expect(wholeKinds('kind:gossip,sender:~query,colour:query')).toBe('kind:gossip,sender:~query,colour:query')
})
