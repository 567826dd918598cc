import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { retireUnits } from '../../../src/host/service/retire-units.ts'
import { installUnits, unitFiles } from '../../../src/host/service/units.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { surroundings } from '../surroundings.ts'

const PACKAGE_ROOT = new URL('../../..', import.meta.url).pathname
const PATHS = {
  nodePath: '/usr/bin/node',
  agentdPath: '/opt/agentd/bin/agentd.cjs',
  packageRoot: PACKAGE_ROOT,
}

/** A user with units, whose service manager writes down what it is told, and whether the units are still there. */
async function createServed(platform: 'linux' | 'darwin', program: string, ending: string) {
  const dir = await createTempDir()
  const environment = surroundings(dir.path, { platform, env: { PATH: `${dir.file('bin')}:/usr/bin:/bin` } })
  const files = unitFiles(environment, PATHS)
  installUnits(files)
  const [first] = files
  mkdirSync(dir.file('bin'))
  const note = `test -f '${first?.path ?? ''}' && there=yes || there=no; echo "$there $*" >>'${dir.file('calls')}'`
  writeFileSync(dir.file('bin', program), `#!/bin/sh\n${note}\n${ending}\n`, { mode: 0o755 })
  return { dir, environment, paths: files.map(({ path }) => path) }
}

function calls(dir: TempDir): readonly string[] {
  return existsSync(dir.file('calls')) ? readFileSync(dir.file('calls'), 'utf8').trim().split('\n') : []
}

test('systemd lets go while the units are still there, and looks again when they are gone', async () => {
  const { dir, environment, paths } = await createServed('linux', 'systemctl', 'exit 0')
  await using _ = dir

  const retired = await retireUnits(environment)
  const again = await retireUnits(environment)

  expect(retired).toEqual({ removed: paths, fault: undefined })
  expect(again).toEqual({ removed: [], fault: undefined })
  expect(paths.map((path) => existsSync(path))).toEqual([false, false])
  expect(calls(dir)).toEqual([
    'yes --user disable --now agentd.socket agentd.service',
    'no --user daemon-reload',
  ])
})

test('where systemd cannot be asked, the units go all the same, with the link that starts them, and that is said', async () => {
  const { dir, environment, paths } = await createServed('linux', 'systemctl', 'echo "no bus" >&2; exit 1')
  await using _ = dir
  const wants = `${dirname(paths[0] ?? '')}/sockets.target.wants`
  mkdirSync(wants)
  symlinkSync('../agentd.socket', `${wants}/agentd.socket`)

  const { removed, fault } = await retireUnits(environment)

  expect(removed).toEqual(paths)
  expect(fault).toMatch(/^"systemctl --user disable --now agentd\.socket agentd\.service" failed: no bus\. /)
  expect(existsSync(`${wants}/agentd.socket`)).toBe(false)
})

test.each([
  ['exit 0', undefined],
  ['exit 3', undefined],
  ['echo "denied" >&2; exit 1', expect.stringContaining('failed: denied.')],
])('launchd that answers with %s', async (ending, fault) => {
  const { dir, environment, paths } = await createServed('darwin', 'launchctl', ending)
  await using _ = dir

  expect(await retireUnits(environment)).toEqual({ removed: paths, fault })
  expect(calls(dir)).toEqual([`yes bootout gui/${environment.uid}/dev.agentd.agentd`])
})

test("a unit that is somebody else's is neither stopped nor removed", async () => {
  const { dir, environment, paths } = await createServed('linux', 'systemctl', 'exit 0')
  await using _ = dir
  for (const path of paths) writeFileSync(path, '[Unit]\n')

  expect(await retireUnits(environment)).toEqual({ removed: [], fault: undefined })
  expect(calls(dir)).toEqual([])
})
