/**
 * `agentd store adopt` as a person runs it, after the daemon has set a store aside.
 */
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentd, createUser, type Env } from '../../support.ts'

async function textsIn(env: Env): Promise<readonly unknown[]> {
  const { stdout } = await agentd(env, ['history', '--json'])
  const { items }: { items: readonly { frame: { payload: { advisory_text: string } } }[] } =
    JSON.parse(stdout)
  return items.map(({ frame }) => frame.payload.advisory_text)
}

test('a store that was set aside is taken back once the daemon is stopped, and back again (HD-14)', async () => {
  await using user = await createUser()
  const state = user.dir.file('state')
  await agentd(user.env, ['advise', 'before'])
  await agentd(user.env, ['stop'])
  const past = `${state}/ring.corrupt-2026-11-20`
  renameSync(`${state}/ring.db`, past)
  await agentd(user.env, ['advise', 'after'])

  const refused = await agentd(user.env, ['store', 'adopt', past])
  await agentd(user.env, ['stop'])
  const adopted = await agentd(user.env, ['store', 'adopt', past, '--json'])
  const texts = await textsIn(user.env)
  await agentd(user.env, ['stop'])
  const { aside } = JSON.parse(adopted.stdout)
  const again = await agentd(user.env, ['store', 'adopt', aside])

  const message = `A daemon serves ${user.env['AGENTD_SOCKET']}; run "agentd stop" first, and then this again.`
  expect(refused).toEqual({ code: 75, stdout: '', stderr: `agentd: busy: ${message}\n` })
  expect(adopted.code).toBe(0)
  expect(JSON.parse(adopted.stdout)).toEqual({ adopted: past, path: `${state}/ring.db`, frames: 1, aside })
  expect(texts).toEqual(['before'])
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringContaining(`${aside} is the store now, with 1 item.`),
  ])
  expect(await textsIn(user.env)).toEqual(['after'])
})

test('a file that is no store is refused with 78 and a sentence, a missing word with 2 (HD-14)', async () => {
  await using user = await createUser()
  await agentd(user.env, ['advise', 'here'])
  await agentd(user.env, ['stop'])
  const letter = user.dir.file('letter')
  writeFileSync(letter, 'Dear friend,\n')
  const before = readdirSync(user.dir.file('state'))

  const refused = await agentd(user.env, ['store', 'adopt', letter])
  const wordless = await agentd(user.env, ['store', 'adopt'])

  expect(refused.code).toBe(78)
  expect(refused.stderr).toMatch(/^agentd: .*letter is damaged or no store of agentd: .*\.\n$/)
  expect(wordless.code).toBe(2)
  expect(readdirSync(user.dir.file('state'))).toEqual(before)
  expect(await textsIn(user.env)).toEqual(['here'])
})
