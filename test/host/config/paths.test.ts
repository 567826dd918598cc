import { UsageError } from '../../../src/core/errors.ts'
import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  MAX_SOCKET_PATH_BYTES,
  configPath,
  ensurePrivateDirectory,
  readEnvironment,
  resolveSocketPath,
  stateDir,
} from '../../../src/host/config/paths.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { bundleProgram, runProgram } from '../child-program.ts'
import { FOREIGN_UID, ownUid, surroundings } from '../surroundings.ts'
import { runsAsRoot } from '../../support/needs.ts'

/** Makes a directory whose mode does not hang on the umask. */
function makeDirectory(path: string, mode = 0o700): string {
  mkdirSync(path, { recursive: true })
  chmodSync(path, mode)
  return path
}

function writeConfig(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: 0o600 })
}

describe('the socket path, in the order of docs/http.md §1', () => {
  test('each place is taken when those before it are absent', async () => {
    await using dir = await createTempDir()
    const xdg = makeDirectory(dir.file('xdg'))
    const tmp = makeDirectory(dir.file('tmp'))
    makeDirectory(dir.file('run-user', String(ownUid)))
    const env: Record<string, string> = { AGENTD_SOCKET: '/by/env', XDG_RUNTIME_DIR: xdg, TMPDIR: tmp }
    const environment = surroundings(dir.path, { env, platform: 'darwin' })
    writeConfig(configPath(environment), JSON.stringify({ socket: '/by/config' }))
    const place = () => resolveSocketPath(environment)

    expect(resolveSocketPath(environment, '/by/flag')).toEqual({ path: '/by/flag', source: 'flag' })
    expect(place()).toEqual({ path: '/by/env', source: 'env' })
    delete env['AGENTD_SOCKET']
    expect(place()).toEqual({ path: '/by/config', source: 'config' })
    writeConfig(configPath(environment), '{}')
    expect(place()).toEqual({ path: join(xdg, 'agentd/agentd.sock'), source: 'xdg-runtime' })
    delete env['XDG_RUNTIME_DIR']
    expect(place()).toEqual({
      path: dir.file('run-user', String(ownUid), 'agentd/agentd.sock'),
      source: 'run-user',
    })
    const elsewhere = { ...environment, runUserDir: dir.file('nowhere') }
    expect(resolveSocketPath(elsewhere)).toEqual({ path: join(tmp, 'agentd/agentd.sock'), source: 'tmpdir' })
    const home = { path: dir.file('home/.agentd/run/agentd.sock'), source: 'home' }
    expect(resolveSocketPath({ ...elsewhere, platform: 'linux' })).toEqual(home)
    delete env['TMPDIR']
    expect(resolveSocketPath(elsewhere)).toEqual(home)
  })

  test('a relative path counts from the working directory where a person wrote it', async () => {
    await using dir = await createTempDir()
    const fromHere = relative(process.cwd(), dir.file('s'))

    expect(resolveSocketPath(surroundings(dir.path), fromHere).path).toBe(dir.file('s'))
    const environment = surroundings(dir.path, { env: { AGENTD_SOCKET: fromHere } })
    expect(resolveSocketPath(environment).path).toBe(dir.file('s'))
  })

  test.each(['{"socket":"relative"}', '{"socket":7}', '{"socket":', '[]', 'null'])(
    'a configuration of %s names no socket',
    async (text) => {
      await using dir = await createTempDir()
      const environment = surroundings(dir.path)
      writeConfig(configPath(environment), text)

      expect(resolveSocketPath(environment).source).toBe('home')
    },
  )

  test('a configuration others may write cannot redirect a client (R-02)', async () => {
    await using dir = await createTempDir()
    const environment = surroundings(dir.path)
    writeConfig(configPath(environment), '{"socket":"/evil"}')
    chmodSync(configPath(environment), 0o666)

    expect(resolveSocketPath(environment).source).toBe('home')
  })

  test('an empty flag is refused, an empty variable is an unset one', async () => {
    await using dir = await createTempDir()
    const environment = surroundings(dir.path, { env: { AGENTD_SOCKET: '', XDG_RUNTIME_DIR: '' } })

    expect(() => resolveSocketPath(environment, '')).toThrow(UsageError)
    expect(resolveSocketPath(environment)).toMatchObject({ source: 'home' })
    expect(resolveSocketPath(environment).note).toBeUndefined()
  })
})

/** The place chosen when XDG_RUNTIME_DIR is a path that `prepare` makes something of. */
async function placeFor(prepare: (xdg: string) => void, suffix = '') {
  await using dir = await createTempDir()
  const xdg = dir.file('xdg')
  prepare(xdg)
  return resolveSocketPath(surroundings(dir.path, { env: { XDG_RUNTIME_DIR: xdg + suffix } }))
}

describe('XDG_RUNTIME_DIR that is not ours is passed over and said so (R-03)', () => {
  test.each(['0777', '0770', '0755', '0701'])('mode %s', async (mode) => {
    const place = await placeFor((xdg) => makeDirectory(xdg, Number.parseInt(mode, 8)))

    expect(place).toMatchObject({ source: 'home', note: expect.stringContaining(mode) })
  })

  test.runIf(runsAsRoot())('a foreign owner, as sudo leaves it', async () => {
    const place = await placeFor((xdg) => chownSync(makeDirectory(xdg), FOREIGN_UID, FOREIGN_UID))

    expect(place).toMatchObject({ source: 'home', note: expect.stringContaining(`uid ${FOREIGN_UID}`) })
  })

  test.each(['', '/'])('a symbolic link, with "%s" behind it', async (suffix) => {
    const place = await placeFor((xdg) => symlinkSync(makeDirectory(`${xdg}-real`), xdg), suffix)

    expect(place).toMatchObject({ source: 'home', note: expect.stringContaining('symbolic link') })
  })

  test('a missing directory, a file, and a relative path', async () => {
    const missing = await placeFor(() => {})
    const file = await placeFor((xdg) => writeFileSync(xdg, ''))
    await using dir = await createTempDir()
    const relativePath = resolveSocketPath(surroundings(dir.path, { env: { XDG_RUNTIME_DIR: 'run' } }))

    expect(missing.note).toContain('does not exist')
    expect(file.note).toContain('not a directory')
    expect(relativePath.note).toContain('not an absolute path')
    for (const place of [missing, file, relativePath]) expect(place.source).toBe('home')
  })

  test.runIf(runsAsRoot())('/run/user/<uid> of somebody else is no place either', async () => {
    await using dir = await createTempDir()
    chownSync(makeDirectory(dir.file('run-user', String(ownUid))), FOREIGN_UID, FOREIGN_UID)

    expect(resolveSocketPath(surroundings(dir.path)).source).toBe('home')
  })
})

describe('the length of a socket path (R-03)', () => {
  const lengths = Array.from({ length: 140 }, (_, at) => at + 1)

  test('1 to 103 bytes come back as they are; 104 to 140 are refused with limit and length', () => {
    const environment = surroundings('/nowhere')
    for (const length of lengths) {
      const path = `/${'s'.repeat(length - 1)}`
      if (length <= MAX_SOCKET_PATH_BYTES) {
        expect(resolveSocketPath(environment, path).path).toBe(path)
      } else {
        const refused = () => resolveSocketPath(environment, path)
        expect(refused).toThrow(UsageError)
        expect(refused).toThrow(new RegExp(`${length} bytes.*limit is 103`))
      }
    }
  })

  test('the limit counts bytes, not characters', () => {
    const environment = surroundings('/nowhere')

    expect(resolveSocketPath(environment, `/${'é'.repeat(51)}`).path).toHaveLength(52)
    expect(() => resolveSocketPath(environment, `/${'é'.repeat(52)}`)).toThrow('105 bytes')
  })

  test('a place found by ourselves is refused too, not passed over', () => {
    const environment = surroundings(`/${'h'.repeat(100)}`)

    expect(() => resolveSocketPath(environment)).toThrow(UsageError)
  })
})

describe('state and configuration', () => {
  test.each([
    ['linux', { AGENTD_STATE_DIR: '/s', XDG_STATE_HOME: '/x' }, '/s'],
    ['linux', { XDG_STATE_HOME: '/x' }, '/x/agentd'],
    ['linux', { XDG_STATE_HOME: 'relative' }, '/r/home/.local/state/agentd'],
    ['linux', {}, '/r/home/.local/state/agentd'],
    ['darwin', { XDG_STATE_HOME: '/x' }, '/x/agentd'],
    ['darwin', {}, '/r/home/Library/Application Support/agentd'],
  ] as const)('on %s with %j the state is in %s', (platform, env, expected) => {
    expect(stateDir(surroundings('/r', { platform, env }))).toBe(expected)
  })

  test.each([
    [{ AGENTD_CONFIG: '/c.json', XDG_CONFIG_HOME: '/x' }, '/c.json'],
    [{ XDG_CONFIG_HOME: '/x' }, '/x/agentd/config.json'],
    [{ XDG_CONFIG_HOME: 'relative' }, '/r/home/.config/agentd/config.json'],
    [{}, '/r/home/.config/agentd/config.json'],
  ])('with %j the configuration is %s', (env, expected) => {
    expect(configPath(surroundings('/r', { env }))).toBe(expected)
    expect(configPath(surroundings('/r', { env, platform: 'darwin' }))).toBe(expected)
  })

  test('the environment of this process is read as it is', () => {
    const environment = readEnvironment()

    expect(environment).toMatchObject({ uid: ownUid, platform: process.platform, runUserDir: '/run/user' })
    expect(environment.userName).not.toBe('')
    expect(environment.env).toBe(process.env)
  })
})

describe('a private directory', () => {
  test.each(['000', '002', '022', '077', '777'])(
    'is 0700 at every new level under umask %s (R-01)',
    async (umask) => {
      await using dir = await createTempDir()
      await using program = await bundleProgram(`
      import { ensurePrivateDirectory, readEnvironment } from '#host/config/paths.ts'
      process.umask(Number.parseInt(process.argv[3], 8))
      ensurePrivateDirectory(process.argv[2], readEnvironment())
      console.log('made')
    `)
      await using running = runProgram(program, [dir.file('a/b/c'), umask])

      expect(await running.nextLine()).toBe('made')
      for (const path of ['a', 'a/b', 'a/b/c']) expect(lstatSync(dir.file(path)).mode & 0o7777).toBe(0o700)
    },
  )

  test('is accepted when it is there already, and its parents are left alone', async () => {
    await using dir = await createTempDir()
    makeDirectory(dir.file('open'), 0o755)
    const environment = surroundings(dir.path)

    ensurePrivateDirectory(dir.file('open/agentd'), environment)
    ensurePrivateDirectory(dir.file('open/agentd'), environment)

    expect(lstatSync(dir.file('open')).mode & 0o777).toBe(0o755)
  })

  test.each<[string, (path: string) => void]>([
    ['a symbolic link', (path) => symlinkSync(makeDirectory(`${path}-real`), path)],
    ['a dangling link', (path) => symlinkSync(`${path}-nowhere`, path)],
    ['not a directory', (path) => writeFileSync(path, 'kept')],
    ['0770', (path) => makeDirectory(path, 0o770)],
    ['0755', (path) => makeDirectory(path, 0o755)],
    ['0702', (path) => makeDirectory(path, 0o702)],
  ])('is refused, and not repaired, when it is %s (R-02)', async (_, prepare) => {
    await using dir = await createTempDir()
    const path = dir.file('agentd')
    prepare(path)
    const before = lstatSync(path)

    expect(() => ensurePrivateDirectory(path, surroundings(dir.path))).toThrow(HostRefusal)
    expect(lstatSync(path)).toMatchObject({ mode: before.mode, uid: before.uid, ino: before.ino })
    expect(() => lstatSync(`${path}-nowhere`)).toThrow('ENOENT')
  })

  test.runIf(runsAsRoot())('is refused when it is foreign (R-02)', async () => {
    await using dir = await createTempDir()
    chownSync(makeDirectory(dir.file('agentd')), FOREIGN_UID, FOREIGN_UID)

    expect(() => ensurePrivateDirectory(dir.file('agentd'), surroundings(dir.path))).toThrow(
      `belongs to uid ${FOREIGN_UID}`,
    )
    expect(lstatSync(dir.file('agentd')).uid).toBe(FOREIGN_UID)
  })

  test('is refused with a sentence when it cannot be made (R-02)', async () => {
    await using dir = await createTempDir()
    writeFileSync(dir.file('file'), '')

    expect(() => ensurePrivateDirectory(dir.file('file/agentd'), surroundings(dir.path))).toThrow(
      /cannot be made \(ENOTDIR\)/,
    )
  })
})
