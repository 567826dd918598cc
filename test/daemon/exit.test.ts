import { expect, test } from 'vitest'
import { mayPass, toStartRefusal } from '../../src/daemon/exit.ts'
import { HostRefusal, PlaceTaken } from '../../src/host/files/refusal.ts'

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as the system says it`), { code })
}

test.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO', 'SQLITE_IOERR_READ', 'SQLITE_FULL'])(
  'a start that ends with %s is refused in a sentence, and tried again (HD-15, HD-17)',
  (code) => {
    const refusal = toStartRefusal(systemError(code))

    expect(refusal?.message).toBe(`The daemon cannot start: ${code}: as the system says it.`)
    expect(refusal && mayPass(refusal)).toBe(true)
  },
)

test.each(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'])(
  'a start that ends with %s is refused for good: no further one would go better (HD-17)',
  (code) => {
    const refusal = toStartRefusal(systemError(code))

    expect(refusal).toBeInstanceOf(HostRefusal)
    expect(refusal && mayPass(refusal)).toBe(false)
  },
)

test('a refusal stays what it is, and passes where what caused it does (HD-15)', () => {
  const taken = new PlaceTaken('A daemon is there.')
  const full = new HostRefusal('The directory cannot be made.', { cause: systemError('ENOSPC') })

  expect([toStartRefusal(taken), toStartRefusal(full)]).toEqual([taken, full])
  expect([mayPass(taken), mayPass(full)]).toEqual([false, true])
})

test('a defect is no refusal, and neither is a code of its own making', () => {
  expect(toStartRefusal(new TypeError('x is not a function'))).toBeUndefined()
  expect(toStartRefusal(systemError('ERR_INVALID_ARG_TYPE'))).toBeUndefined()
  expect(toStartRefusal(systemError('EIOX'))).toBeUndefined()
})
