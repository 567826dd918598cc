/** Where a file of a message stands, and which files have no place at all (SEAT-29). */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { post } from '../../../support/http.ts'
import { createTempDir } from '../../../support/temp-dir.ts'
import { openSeat } from '../support.ts'

test('a regular file in the worktree of its session has an address, and nothing else does (SEAT-29)', async () => {
  await using seat = await openSeat({ editor: 'vscode' })
  await using outside = await createTempDir()
  const worktree = seat.daemon.dir.file('tree')
  mkdirSync(`${worktree}/src`, { recursive: true })
  writeFileSync(`${worktree}/src/a b#.ts`, '')
  writeFileSync(outside.file('secret'), '')
  symlinkSync(outside.file('secret'), `${worktree}/out`)
  symlinkSync(outside.path, `${worktree}/folder`)
  symlinkSync(`${worktree}/src/a b#.ts`, `${worktree}/in`)
  const facts = { instrument: 'cc', session_id: 's1', worktree }
  await post(seat.daemon.socket, '/v1/sessions', facts)
  await post(seat.daemon.socket, '/v1/sessions', { instrument: 'cc', session_id: 's2' })
  const token = await seat.signIn()
  const find = async (file: string, address = '~alice/cc@s1', more = ''): Promise<unknown> => {
    const query = `address=${encodeURIComponent(address)}&file=${encodeURIComponent(file)}${more}`
    const { status, body } = await seat.ask(`/editor?${query}`, { token })
    return status === 200 ? body.href : body.code
  }
  const place = `vscode://file${worktree}/src/a%20b%23.ts`

  expect(await find('src/a b#.ts')).toBe(place)
  expect(await find(`${worktree}/src/a b#.ts`, undefined, '&line=12')).toBe(`${place}:12`)
  expect(await find('in')).toBe(place)
  const nothing = [
    'out',
    'folder/secret',
    '../tree/src/a b#.ts',
    'src/../../x',
    'src',
    '.',
    '',
    '/etc/passwd',
    'src/\0',
  ]
  for (const file of [...nothing, outside.file('secret'), 'src/none.ts', 'a'.repeat(5_000)]) {
    expect(await find(file), file).toBe('not-found')
  }
  for (const address of ['~alice/cc@s2', '~alice/cc@gone', 'nonsense', '~alice/../cc@s1', '']) {
    expect(await find('src/a b#.ts', address), address).toBe('not-found')
  }
  expect(await find('in', undefined, '&line=1;x')).toBe('field-invalid')
})

test('without an editor in the configuration there is no such link (SEAT-29)', async () => {
  await using seat = await openSeat()
  const token = await seat.signIn()

  expect((await seat.ask('/hello?nonce=0123456789abcdef')).body.editor).toBe(false)
  expect(await seat.ask('/editor?address=x&file=y', { token })).toMatchObject({ status: 404 })
})
