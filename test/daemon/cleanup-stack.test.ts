import { expect, test } from 'vitest'
import { CleanupStack } from '../../src/daemon/cleanup-stack.ts'

test('what was taken is given back in reverse, each after the one before, and once', async () => {
  const told: string[] = []
  const stack = new CleanupStack()
  stack.defer(() => void told.push('lock'))
  stack.defer(async () => {
    told.push('store begins')
    await new Promise(setImmediate)
    told.push('store ends')
  })
  stack.defer(() => void told.push('watch'))

  const both = [stack.close(), stack.close()]
  await Promise.all(both)
  await stack.close()

  expect(told).toEqual(['watch', 'store begins', 'store ends', 'lock'])
})

test('a step that fails keeps no other from its turn, and the first error is what is told', async () => {
  const told: string[] = []
  const stack = new CleanupStack()
  stack.defer(() => void told.push('lock'))
  stack.defer(() => Promise.reject(new Error('second')))
  stack.defer(() => {
    throw new Error('first')
  })

  await expect(stack.close()).rejects.toThrow('first')
  expect(told).toEqual(['lock'])
  await expect(stack.close()).rejects.toThrow('first')
})
