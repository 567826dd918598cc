/** `~org` as somebody writes it, whichever way the command goes (FED-60, ACQ-10). */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createKey } from '../../../../src/aee/keys/new-key.ts'
import { readKey } from '../../../../src/aee/keys/key.ts'
import { formatDocument } from '../../../../src/authority/document.ts'
import { signedCharter } from '../../../authority/documents.ts'
import { put, settle } from '../../../daemon/two-handles.ts'
import { write } from '../../../daemon/two-organisations.ts'
import { startTestDaemon } from '../../../support/daemon.ts'
import { request } from '../../../support/http.ts'
import { createTempDir, type TempDir } from '../../../support/temp-dir.ts'
import { agentd, fullAgentd, type Env } from '../../support.ts'
import { writeFileSync } from 'node:fs'

const SHELL = fileURLToPath(new URL('../../../../bin/agentd', import.meta.url))

/** The launcher that sends the plainest commands by itself. */
function shell(env: Env, args: readonly string[]) {
  return spawnSync('sh', [SHELL, ...args], { env: { ...env, PATH: process.env['PATH'] }, encoding: 'utf8' })
}

/** Puts `~alice` into a second organisation. */
function joinGlobex(dir: TempDir): void {
  const { kid, text } = createKey({ alg: 'ed25519', entities: ['~globex'], nowMs: Date.now() })
  writeFileSync(dir.file('state', 'keys', `${kid}.json`), text, { mode: 0o600 })
  write(dir, 'charter.globex.json', formatDocument(signedCharter(readKey(text), { org: '~globex' })))
}

async function scopes(socket: string): Promise<readonly string[]> {
  const { body } = await request(socket, '/v1/frames')
  return body.items.map(({ scope }: { scope: string }) => scope)
}

test('goes to the one organisation there is, and is never sent (FED-60, ACQ-10)', async () => {
  await using dir = await createTempDir()
  put(dir, settle(dir), {})
  await using daemon = await startTestDaemon({ dir })

  const ended = [
    shell(daemon.env, ['advise', 'a', '--scope', '~org']).status,
    shell(daemon.env, ['advise', 'a', '--scope=~org/*']).status,
    (await agentd(daemon.env, ['advise', 'b', '--scope', 'org:~org/members/*'])).code,
    (await fullAgentd(daemon.env, ['advise', 'c', '--to', '~org'])).code,
  ]

  expect(ended).toEqual([0, 0, 0, 0])
  expect(await scopes(daemon.socket)).toEqual(Array.from({ length: 4 }, () => 'org:~acme/members/*'))
})

test('is refused without an organisation, with several, and for sessions of one (FED-60)', async () => {
  await using dir = await createTempDir()
  const key = settle(dir)
  await using daemon = await startTestDaemon({ dir })

  const none = await agentd(daemon.env, ['advise', 'a', '--scope', '~org'])
  put(dir, key, {})
  const sessions = await agentd(daemon.env, ['advise', 'a', '--scope', '~org/cc-*'])
  joinGlobex(dir)
  const several = await agentd(daemon.env, ['ask', 'who?', '--to', '~org'])

  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('stands for no organisation here') })
  expect(sessions).toMatchObject({ code: 1, stderr: expect.stringContaining('has no sessions') })
  expect(several).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('may be ~acme or ~globex; write which'),
  })
  expect(await scopes(daemon.socket)).toEqual([])
})
