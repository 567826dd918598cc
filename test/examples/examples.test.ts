/**
 * The examples for a shell, make, git and TypeScript, beside a running daemon.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { openStream, post, request } from '../support/http.ts'
import { hasProgram } from '../support/needs.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { exampleAt, startProgram } from './program.ts'

/** What was said, in order: of each frame its kind and what a pattern finds in it. */
async function said(daemon: TestDaemon): Promise<readonly string[]> {
  const { body } = await request(daemon.socket, '/v1/frames?handle=~alice')
  const items: readonly { frame: { kind: string; payload: Readonly<Record<string, string>> } }[] = body.items
  return items.map(
    ({ frame: { kind, payload } }) => `${kind} ${payload['broadcast_text'] ?? payload['resource'] ?? ''}`,
  )
}

test('a shell announces that a file is taken while a command runs, and that it is free again (PD-14)', async () => {
  await using daemon = await startTestDaemon()
  await using script = startProgram(daemon, 'bash', [
    exampleAt('bash', 'with-lease.sh'),
    'src/auth.ts',
    'sh',
    '-c',
    'echo at work; exit 3',
  ])

  await script.printed(/at work/)

  expect(await script.ended).toBe(3)
  expect(await said(daemon)).toEqual(['agent_lock_request src/auth.ts', 'agent_lock_release src/auth.ts'])
})

test.runIf(hasProgram('curl'))('a shell hears broadcasts by curl alone (PD-14)', async () => {
  await using daemon = await startTestDaemon()
  await using script = startProgram(daemon, 'bash', [exampleAt('bash', 'hear.sh'), daemon.socket])
  using roster = await openStream(daemon.socket, '/v1/watch')
  await roster.connection.until(/curl|"subscriptions":[1-9]|agentd_session/)

  expect((await post(daemon.socket, '/v1/verbs/agent_broadcast', { text: 'login is on main' })).status).toBe(
    200,
  )

  await script.printed(/^login is on main$/m)
})

test('make tells how a build ended, and ends as it did (PD-14)', async () => {
  await using daemon = await startTestDaemon()
  const make = (check: string) =>
    startProgram(daemon, 'make', ['-f', exampleAt('make', 'Makefile'), `CHECK=${check}`])
  await using green = make('true')
  expect(await green.ended).toBe(0)
  await using red = make('false')
  expect(await red.ended).not.toBe(0)

  expect(await said(daemon)).toEqual(['agent_broadcast true is green', 'agent_broadcast false is red'])
})

test.runIf(hasProgram('git'))('a merge is told to siblings by the hook of git (PD-14)', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  const steps = `git init -q -b main . && git config user.name a && git config user.email a@b.c
    git commit -q --allow-empty -m first && git checkout -q -b login && git commit -q --allow-empty -m 'the login'
    git checkout -q main && cp ${exampleAt('git', 'post-merge')} .git/hooks/ && git merge -q login`
  await using shell = startProgram(daemon, 'sh', ['-ec', steps], dir.path)

  expect(await shell.ended).toBe(0)
  expect(await said(daemon)).toEqual(['agent_broadcast merged into main: the login'])
})

test('a program in TypeScript asks with the library, and prints what is answered (PD-14)', async () => {
  await using daemon = await startTestDaemon()
  await using dir = await createTempDir()
  mkdirSync(dir.file('node_modules'))
  symlinkSync(join(import.meta.dirname, '..', '..'), dir.file('node_modules', 'agentd-bus'))
  const source = readFileSync(exampleAt('typescript', 'ask.ts'), 'utf8')
  writeFileSync(
    dir.file('ask.mjs'),
    transformSync(source, { loader: 'ts', format: 'esm', target: 'node20' }).code,
  )
  await using program = startProgram(daemon, process.execPath, [dir.file('ask.mjs'), 'anybody?', '200'])

  await program.printed(/no-listener/)

  expect(await program.ended).toBe(0)
})
