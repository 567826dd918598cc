import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
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
