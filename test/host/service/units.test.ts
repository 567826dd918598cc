import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import plist from 'plist'
import { describe, expect, test } from 'vitest'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import {
  hubUnitFiles,
  installUnits,
  renderUnit,
  uninstallUnits,
  unitFiles,
  unitInstructions,
  unitPlaces,
} from '../../../src/host/service/units.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { surroundings } from '../surroundings.ts'
import { hasProgram } from '../../support/needs.ts'

const packageRoot = new URL('../../..', import.meta.url).pathname

const PLAIN = { nodePath: '/usr/bin/node', agentdPath: '/opt/agentd/bin/agentd.cjs', packageRoot }

/** Part of systemd, not of ours: where it is absent, what needs it is skipped. */
const VERIFIER = 'systemd-analyze'

function verify(directory: string): string {
  const files = ['agentd.socket', 'agentd.service'].map((name) => join(directory, name))
  const args = ['verify', '--user', '--man=no', '--recursive-errors=no', ...files]
  const { stderr, status } = spawnSync(VERIFIER, args, {
    env: { ...process.env, XDG_RUNTIME_DIR: directory },
    encoding: 'utf8',
  })
  return `${status}: ${stderr}`
}

test('values go into a template as they are, also where they look like a pattern', () => {
  const values = { node: '$&', agentd: '@LOG@x', log: '/l' }

  expect(renderUnit('@NODE@ @AGENTD@ @NODE@ @X@', values)).toBe('$& @LOG@x $& @X@')
})

describe('systemd', () => {
  test('the units stand where the user manager looks for them', () => {
    const usual = unitFiles(surroundings('/r'), PLAIN)
    const [moved] = unitFiles(surroundings('/r', { env: { XDG_CONFIG_HOME: '/x' } }), PLAIN)

    expect(usual.map((file) => file.path)).toEqual([
      '/r/home/.config/systemd/user/agentd.service',
      '/r/home/.config/systemd/user/agentd.socket',
    ])
    expect(moved?.path).toBe('/x/systemd/user/agentd.service')
  })

  test('the service runs what it was given, behind a socket that is ours alone (R-01)', () => {
    const [service, socket] = unitFiles(surroundings('/r'), PLAIN).map((file) => file.contents)

    expect(service).toContain('\nExecStart="/usr/bin/node" "/opt/agentd/bin/agentd.cjs" serve\n')
    expect(service).toContain('\nUMask=0077\n')
    expect(service).toContain('\nRestartPreventExitStatus=78\n')
    expect(service).not.toMatch(/^Documentation=|^MemoryDenyWriteExecute=|^PrivateUsers=/m)
    expect(socket).toContain('\nListenStream=%t/agentd/agentd.sock\n')
    expect(socket).toContain('\nSocketMode=0600\n')
    expect(socket).toContain('\nDirectoryMode=0700\n')
    for (const contents of [service, socket]) expect(contents).not.toMatch(/@[A-Z]+@/)
  })

  test.runIf(hasProgram(VERIFIER))('systemd-analyze finds nothing wrong with the units', async () => {
    await using dir = await createTempDir()
    const environment = surroundings(dir.path)
    const files = unitFiles(environment, { ...PLAIN, nodePath: process.execPath })
    installUnits(files)

    expect(verify(dirname(files[0]?.path ?? ''))).toBe('0: ')
  })

  test.runIf(hasProgram(VERIFIER))(
    'a program path with spaces, per cent and dollar signs is one word',
    async () => {
      await using dir = await createTempDir()
      const odd = dir.file('a b 100%h $HOME ${x} ;')
      mkdirSync(odd)
      writeFileSync(join(odd, 'node'), '#!/bin/sh\n')
      chmodSync(join(odd, 'node'), 0o755)
      const files = unitFiles(surroundings(dir.path), { ...PLAIN, nodePath: join(odd, 'node') })
      installUnits(files)
      const directory = dirname(files[0]?.path ?? '')

      expect(verify(directory)).toBe('0: ')
      // The verifier checks that the program is there, so a wrongly split path does not pass.
      chmodSync(join(odd, 'node'), 0o644)
      expect(verify(directory)).toContain('is not executable')
    },
  )
})

test('an argument is quoted as systemd.service(5) asks; a program path that cannot be is refused', () => {
  const environment = surroundings('/r')
  const odd = String.raw`/a b/"c"/'d'/100%/$HOME/\e`
  const [service] = unitFiles(environment, { ...PLAIN, agentdPath: odd })

  const quoted = String.raw`"/a b/\"c\"/'d'/100%%/$$HOME/\\e"`
  expect(service?.contents).toContain(`\nExecStart="/usr/bin/node" ${quoted} serve\n`)
  expect(() => unitFiles(environment, { ...PLAIN, nodePath: odd })).toThrow(HostRefusal)
})

describe('launchd', () => {
  test('the agent is the property list we mean, whatever the paths hold', () => {
    const odd = '/a & b/<c>/"d"/node'
    const [file] = unitFiles(surroundings('/r&d', { platform: 'darwin' }), { ...PLAIN, nodePath: odd })

    expect(file?.path).toBe('/r&d/home/Library/LaunchAgents/dev.agentd.agentd.plist')
    expect(plist.parse(file?.contents ?? '')).toEqual({
      Label: 'dev.agentd.agentd',
      ProgramArguments: [odd, '/opt/agentd/bin/agentd.cjs', 'serve'],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ExitTimeOut: 10,
      ProcessType: 'Standard',
      Umask: 0o077,
      SoftResourceLimits: { NumberOfFiles: 65_536 },
      EnvironmentVariables: {
        PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
        UV_THREADPOOL_SIZE: '16',
      },
      StandardErrorPath: '/r&d/home/Library/Application Support/agentd/agentd.log',
    })
  })
})

describe('installing and removing', () => {
  test.each(['linux', 'darwin'] as const)(
    'on %s only what differs is written, whole and 0644',
    async (platform) => {
      await using dir = await createTempDir()
      const environment = surroundings(dir.path, { platform })
      const files = unitFiles(environment, PLAIN)
      const paths = files.map((file) => file.path)

      expect(installUnits(files)).toEqual(paths)
      expect(installUnits(files)).toEqual([])
      const moved = unitFiles(environment, { ...PLAIN, nodePath: '/new/node' })
      expect(installUnits(moved)).toEqual([paths[0]])

      for (const { path, contents } of moved) {
        expect(readFileSync(path, 'utf8')).toBe(contents)
        expect(lstatSync(path).mode & 0o777).toBe(0o644)
      }
      expect(readdirSync(dirname(paths[0] ?? ''))).toHaveLength(files.length)
      expect(uninstallUnits(moved)).toEqual(paths)
      expect(uninstallUnits(moved)).toEqual([])
      expect(readdirSync(dirname(paths[0] ?? ''))).toEqual([])
    },
  )

  test('a file somebody else wrote, or a masked unit, is neither replaced nor removed', async () => {
    await using dir = await createTempDir()
    const files = unitFiles(surroundings(dir.path), PLAIN)
    const [service, socket] = files.map((file) => file.path)
    mkdirSync(dirname(socket ?? ''), { recursive: true })
    writeFileSync(socket ?? '', '[Socket]\n')

    expect(() => installUnits(files)).toThrow(HostRefusal)
    expect(existsSync(service ?? '')).toBe(false)
    symlinkSync('/dev/null', service ?? '')
    expect(() => installUnits(files)).toThrow(HostRefusal)
    expect(uninstallUnits(files)).toEqual([])
    expect(readFileSync(socket ?? '', 'utf8')).toBe('[Socket]\n')
    expect(lstatSync(service ?? '').isSymbolicLink()).toBe(true)
  })

  test('a path with a line break, and a system we do not know, are refused', () => {
    const newline = { ...PLAIN, nodePath: '/a\nExecStartPre=/bin/evil' }

    expect(() => unitFiles(surroundings('/r'), newline)).toThrow(HostRefusal)
    expect(() => unitFiles(surroundings('/r', { platform: 'win32' }), PLAIN)).toThrow('win32')
  })

  test('the commands to run name what was installed', () => {
    const linux = unitInstructions('linux')
    const mac = unitInstructions('darwin')

    expect(linux.install).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable --now agentd.socket',
    ])
    expect(linux.notes.join(' ')).toContain('loginctl enable-linger')
    expect(mac.install[0]).toBe(
      'launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/dev.agentd.agentd.plist',
    )
    expect(mac.uninstall).toEqual(['launchctl bootout gui/$(id -u)/dev.agentd.agentd'])
  })
})

test.runIf(hasProgram(VERIFIER))('the verifier does find fault where there is one', async () => {
  await using dir = await createTempDir()
  for (const name of ['agentd.socket', 'agentd.service']) {
    const text = readFileSync(join(packageRoot, 'systemd', name), 'utf8').replaceAll(
      '@NODE@',
      '/nowhere/node',
    )
    writeFileSync(dir.file(name), text)
  }

  expect(verify(dir.path)).toContain('1: ')
})

describe('the hub', () => {
  test('its unit runs what a person would, and is not one of the daemon', () => {
    const [unit, ...others] = hubUnitFiles(surroundings('/r'), PLAIN)

    expect(others).toEqual([])
    expect(unit?.path).toBe('/r/home/.config/systemd/user/agentd-hub.service')
    expect(unit?.contents).toContain(
      '\nExecStart="/usr/bin/node" "/opt/agentd/bin/agentd.cjs" link hub run\n',
    )
    expect(unitFiles(surroundings('/r'), PLAIN).map(({ path }) => path)).not.toContain(unit?.path)
  })

  test('its agent for launchd is well-formed', () => {
    const [agent] = hubUnitFiles(surroundings('/r', { platform: 'darwin' }), PLAIN)

    expect(agent?.path).toBe('/r/home/Library/LaunchAgents/dev.agentd.hub.plist')
    expect(plist.parse(agent?.contents ?? '')).toMatchObject({
      Label: 'dev.agentd.hub',
      ProgramArguments: ['/usr/bin/node', '/opt/agentd/bin/agentd.cjs', 'link', 'hub', 'run'],
      StandardErrorPath: '/r/home/Library/Application Support/agentd/hub.log',
    })
  })

  test('it goes with agentd: what init has written is known as ours', async () => {
    await using dir = await createTempDir()
    const environment = surroundings(dir.path)
    installUnits(hubUnitFiles(environment, PLAIN))

    const removed = uninstallUnits(unitPlaces(environment))

    expect(removed).toEqual([dir.file('home', '.config', 'systemd', 'user', 'agentd-hub.service')])
  })

  test.runIf(hasProgram(VERIFIER))('systemd finds nothing wrong with its unit', async () => {
    await using dir = await createTempDir()
    const [unit] = hubUnitFiles(surroundings(dir.path), { ...PLAIN, nodePath: process.execPath })
    writeFileSync(dir.file('agentd-hub.service'), unit?.contents ?? '')
    const args = ['verify', '--user', '--man=no', '--recursive-errors=no', dir.file('agentd-hub.service')]

    const { status, stderr } = spawnSync(VERIFIER, args, {
      env: { ...process.env, XDG_RUNTIME_DIR: dir.path },
      encoding: 'utf8',
    })

    expect(`${status}: ${stderr}`).toBe('0: ')
  })
})
