/** What a session is told before it edits, of siblings that say nothing: real repositories, files and processes. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTLE_MS, WORKTREE_EVERY_MS } from '../../../src/hooks/observation/observer.ts'
import { git } from '../../support/git.ts'
import { beginSession, openPlace } from './observed-desk.ts'

const AUTH = 'src/auth.ts'

describe('a file that has changed since the session read it', () => {
  test('is told of once, with no word of who did it (OB-04, OB-05)', async () => {
    await using place = await openPlace()
    await place.one.reads(AUTH)
    const before = await place.one.editing(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// more\n')

    const told = await place.one.editing(AUTH)
    const again = await place.one.editing(AUTH)

    expect(before).toBe('')
    expect(told).toMatch(
      /^\[agentd \w+\] Seen on this machine: src\/auth\.ts has changed on disk \S+ ago, since this session last read or wrote it; no session announced it\.$/,
    )
    expect(again).toBe('')
  })

  test('and again when it has changed again, and not once the session has read it anew (OB-04)', async () => {
    await using place = await openPlace()
    await place.one.reads(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// a\n')
    const first = await place.one.editing(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// b\n')
    const second = await place.one.editing(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// c\n')
    await place.one.reads(AUTH)

    expect([first, second].every((text) => text.includes('has changed on disk'))).toBe(true)
    expect(await place.one.editing(AUTH)).toBe('')
  })

  test('is no news where nobody of the session has read it, or where it has gone (OB-05)', async () => {
    await using place = await openPlace()
    appendFileSync(join(place.checkout.main, AUTH), '// more\n')
    const unread = await place.one.editing(AUTH)
    await place.one.reads(AUTH)
    rmSync(join(place.checkout.main, AUTH))

    expect([unread, await place.one.editing(AUTH)]).toEqual(['', ''])
  })

  test('is told with whoever announced work on it about then (OB-04)', async () => {
    await using place = await openPlace(0)
    const two = await beginSession(place.desk, place.checkout, 'two')
    await place.one.reads(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// two was here\n')
    await two.edited(AUTH)

    const told = await place.one.editing(AUTH)

    expect(told).toContain('"~alice/cc-agent@two" announced work on it about then.')
  })

  test('is not told where the session wrote it, or ran something that may have (OB-05)', async () => {
    await using place = await openPlace(0)
    await place.one.reads(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// own\n')
    await place.one.edited(AUTH)
    const written = await place.one.editing(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// formatted behind the edit\n')
    const formatted = await place.one.editing(AUTH)
    await place.one.reads(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// by make\n')
    await place.one.ran(500)
    const ran = await place.one.editing(AUTH)

    expect([written, formatted, ran]).toEqual(['', '', ''])
  })

  test('is told where the session’s own command was over long before (OB-05)', async () => {
    await using place = await openPlace(-3_600_000)
    await place.one.reads(AUTH)
    await place.one.ran(500)
    appendFileSync(join(place.checkout.main, AUTH), '// by somebody else\n')

    expect(await place.one.editing(AUTH)).toContain('has changed on disk')
  })

  test('is not told with a denial, and then the next time (OB-05)', async () => {
    await using place = await openPlace()
    await place.one.reads(AUTH)
    appendFileSync(join(place.checkout.main, AUTH), '// more\n')
    const first = await place.one.editing('src/other.ts')

    expect(first).toBe('')
    expect(await place.one.editing(AUTH)).toContain('has changed on disk')
  })
})

describe('the worktree', () => {
  test('a HEAD that has moved since the session began is told of once, in the words of git (OB-04)', async () => {
    await using place = await openPlace()
    const { main } = place.checkout
    const before = await place.one.editing(AUTH)
    git(main, 'checkout', '--quiet', '-b', 'elsewhere')
    git(main, 'commit', '--quiet', '--allow-empty', '--message=from "another" shell')
    place.clock.advance(WORKTREE_EVERY_MS)

    const told = await place.one.editing(AUTH)
    place.clock.advance(WORKTREE_EVERY_MS)

    expect(before).toBe('')
    expect(told).toMatch(
      /the HEAD of this worktree has moved \S+ ago: "commit: from 'another' shell"; no session told of it\.$/,
    )
    expect(await place.one.editing(AUTH)).toBe('')
  })

  test('a movement that a session told of, or may have made, is no news (OB-05)', async () => {
    await using place = await openPlace(SETTLE_MS * 2)
    const { main } = place.checkout
    git(main, 'commit', '--quiet', '--allow-empty', '--message=told of')
    const refs = [`commit:${git(main, 'rev-parse', 'HEAD')}`]
    await place.desk.say('agent_broadcast', { text: 'committed', event_class: 'other', refs })
    const told = await place.one.editing(AUTH)
    git(main, 'commit', '--quiet', '--allow-empty', '--message=own')
    await place.one.ran(60_000)
    place.clock.advance(WORKTREE_EVERY_MS)

    expect([told, await place.one.editing(AUTH)]).toEqual(['', ''])
  })

  test('a movement of this moment waits, since a hook of git may tell of it (OB-05)', async () => {
    await using place = await openPlace(0)
    git(place.checkout.main, 'commit', '--quiet', '--allow-empty', '--message=now')
    const at = await place.one.editing(AUTH)
    place.clock.advance(SETTLE_MS + 1_000)

    expect(at).toBe('')
    expect(await place.one.editing(AUTH)).toContain('"commit: now"')
  })

  test('an index.lock is told of once, and a later one again; one of this moment is not (OB-04)', async () => {
    await using place = await openPlace(0)
    const lock = join(place.checkout.main, '.git', 'index.lock')
    writeFileSync(lock, '')
    const fresh = await place.one.editing(AUTH)
    place.clock.advance(SETTLE_MS + 1_000)
    const told = await place.one.editing(AUTH)
    place.clock.advance(WORKTREE_EVERY_MS)
    const again = await place.one.editing(AUTH)

    expect([fresh, again]).toEqual(['', ''])
    expect(told).toMatch(
      /index\.lock of this worktree has been there for \S+: a git is at work, or was killed/,
    )
  })

  test('nothing is looked at again within a second, and another worktree is another one (OB-06)', async () => {
    await using place = await openPlace()
    await place.one.editing(AUTH)
    writeFileSync(join(place.checkout.main, '.git', 'worktrees', 'api-fix', 'index.lock'), '')
    place.clock.advance(WORKTREE_EVERY_MS)
    const other = await place.one.editing(AUTH)
    writeFileSync(join(place.checkout.main, '.git', 'index.lock'), '')
    const within = await place.one.editing(AUTH)
    place.clock.advance(WORKTREE_EVERY_MS)

    expect([other, within]).toEqual(['', ''])
    expect(await place.one.editing(AUTH)).toContain('index.lock')
  })
})
