import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keyHeaderPath } from '../../../src/host/config/key-header.ts'
import { configPath } from '../../../src/host/config/paths.ts'
import { findSocketCall, settleKeyHeader } from '../../../src/runtimes/setup/socket-call.ts'
import { createHome, type Home } from './home.ts'

const SAYS = (version: string, features = 'alt-svc UnixSockets zstd'): string =>
  `#!/bin/sh\necho 'curl ${version} (x86_64) libcurl/${version}'\necho 'Features: ${features}'\n`

/** Somebody whose only program is a `curl`. */
async function createCurlUser(
  script: string | undefined,
  env: Readonly<Record<string, string>> = {},
): Promise<Home> {
  const home = await createHome({ env })
  mkdirSync(home.dir.file('bin'))
  if (script !== undefined) writeFileSync(home.dir.file('bin', 'curl'), script, { mode: 0o755 })
  return home
}

test.each([
  ['one that is new enough', SAYS('7.55.0'), true],
  ['the next major version', SAYS('8.0.1'), true],
  ['one that takes no header from a file', SAYS('7.54.1'), false],
  ['one without Unix sockets', SAYS('8.5.0', 'alt-svc zstd'), false],
  ['one that does not run', '#!/nowhere/sh\n', false],
  ['one that fails', `${SAYS('8.5.0')}exit 3\n`, false],
  ['one that says something else', '#!/bin/sh\necho hello\n', false],
  ['none', undefined, false],
])('of %s set-up says whether hooks can be told by it (OP-02)', async (_, script, isGood) => {
  await using home = await createCurlUser(script, { AGENTD_SOCKET: '/run/agentd.sock' })
  const { environment } = home.request.paths

  const call = findSocketCall(environment)

  const good = { curl: home.dir.file('bin', 'curl'), socket: '/run/agentd.sock', keyHeader: undefined }
  expect(call).toEqual(isGood ? good : undefined)
})

test('the socket is the one that is named, and no line is written to one whose path is too long', async () => {
  await using home = await createCurlUser(SAYS('8.5.0'))
  const { environment } = home.request.paths

  expect(findSocketCall(environment, '/named.sock')?.socket).toBe('/named.sock')
  expect(findSocketCall(environment, `/${'x'.repeat(200)}.sock`)).toBeUndefined()
})

test('with auth session the line names the file of the key, which stays as long as something is set up (OP-04)', async () => {
  await using home = await createCurlUser(SAYS('8.5.0'))
  const { environment } = home.request.paths
  const config = configPath(environment)
  mkdirSync(new URL('.', `file://${config}`).pathname, { recursive: true })
  writeFileSync(config, '{"auth":"session"}')
  chmodSync(config, 0o600)
  const isThere = (): boolean => existsSync(keyHeaderPath(environment))

  const call = findSocketCall(environment)
  settleKeyHeader(environment)
  const before = isThere()
  await home.install(['codex', 'cursor'])
  const between = isThere()
  await home.undo(['codex'])
  const one = isThere()
  await home.undo(['cursor'])

  expect(call?.keyHeader).toBe(keyHeaderPath(environment))
  expect([before, between, one, isThere()]).toEqual([false, true, true, false])
})
