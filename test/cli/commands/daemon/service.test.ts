import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmdirSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AGENTD, agentd, createUser } from '../../support.ts'
import { runsOnLinux, hasProgram } from '../../../support/needs.ts'

/** Part of systemd, not of ours: where it is absent, what needs it is skipped. */
const VERIFIER = 'systemd-analyze'

test.runIf(runsOnLinux('the units'))(
  'install writes units with absolute paths and says what to run next',
  async () => {
    await using user = await createUser()

    const { code, stdout, stderr } = await agentd(user.env, ['service', 'install'])
    const again = await agentd(user.env, ['service', 'install'])

    const directory = user.dir.file('config', 'systemd', 'user')
    expect(code).toBe(0)
    expect(stdout).toContain(`wrote ${directory}/agentd.service\n`)
    expect(stdout).toContain(
      'run next:\n  systemctl --user daemon-reload\n  systemctl --user enable --now agentd.socket\n',
    )
    expect(stderr).toContain('loginctl enable-linger')
    expect(again.stdout).toContain('installed already')
    expect(readFileSync(`${directory}/agentd.service`, 'utf8')).toContain(
      `ExecStart="${process.execPath}" "${realpathSync(AGENTD)}" serve\n`,
    )
  },
)

test.runIf(runsOnLinux('the units'))(
  'the folders it makes are private under every umask (HD-22)',
  async () => {
    await using user = await createUser()
    rmdirSync(user.dir.file('config'))
    const words = ['umask 0; exec "$@"', '-', process.execPath, AGENTD, 'service', 'install']

    const { status } = spawnSync('/bin/sh', ['-c', ...words], { env: user.env, encoding: 'utf8' })

    expect(status).toBe(0)
    const folders = ['config', 'config/systemd', 'config/systemd/user'].map((name) => user.dir.file(name))
    expect(folders.map((folder) => lstatSync(folder).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
    expect(lstatSync(`${folders[2] ?? ''}/agentd.service`).mode & 0o777).toBe(0o644)
  },
)

test.runIf(hasProgram(VERIFIER))('systemd finds nothing wrong with what was installed', async () => {
  await using user = await createUser()
  await agentd(user.env, ['service', 'install'])
  const directory = user.dir.file('config', 'systemd', 'user')

  const { status, stderr } = spawnSync(
    VERIFIER,
    [
      'verify',
      '--user',
      '--man=no',
      '--recursive-errors=no',
      `${directory}/agentd.socket`,
      `${directory}/agentd.service`,
    ],
    { env: { ...process.env, XDG_RUNTIME_DIR: user.dir.path }, encoding: 'utf8' },
  )

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test.runIf(runsOnLinux('the units'))('--print writes nothing', async () => {
  await using user = await createUser()

  const { stdout } = await agentd(user.env, ['service', 'install', '--print'])

  expect(stdout).toContain('[Socket]')
  expect(existsSync(user.dir.file('config', 'systemd'))).toBe(false)
})

test.runIf(runsOnLinux('the units'))(
  'uninstall removes what install wrote, but not while systemd still has it enabled',
  async () => {
    await using user = await createUser()
    await agentd(user.env, ['service', 'install'])
    const directory = user.dir.file('config', 'systemd', 'user')
    mkdirSync(`${directory}/sockets.target.wants`)
    symlinkSync(`${directory}/agentd.socket`, `${directory}/sockets.target.wants/agentd.socket`)

    const refused = await agentd(user.env, ['service', 'uninstall'])
    spawnSync('rm', [`${directory}/sockets.target.wants/agentd.socket`])
    const removed = await agentd(user.env, ['service', 'uninstall'])
    const again = await agentd(user.env, ['service', 'uninstall'])

    expect(refused).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('systemctl --user disable --now'),
    })
    expect(removed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`removed ${directory}/agentd.socket`),
    })
    expect(again.stdout).toBe('No units of agentd are there.\n')
    expect(existsSync(`${directory}/agentd.service`)).toBe(false)
  },
)
