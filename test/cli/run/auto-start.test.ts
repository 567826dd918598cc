import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { processStartTime } from '../../../src/host/process/processes.ts'
import { runsOnLinux } from '../../support/needs.ts'
import { detailsBesides } from '../../support/without-sqlite.ts'
import { agentd, createUser, fullAgentd, type Outcome } from '../support.ts'

/** What stderr says, but for what a daemon cannot keep here, which whoever starts one is told. */
function besides({ stderr }: Outcome): string {
  return detailsBesides(stderr.split('\n')).join('\n')
}

test('a command that needs the daemon starts it, and the next one finds it', async () => {
  await using user = await createUser()

  const first = await agentd(user.env, ['advise', 'hello'])
  const second = await agentd(user.env, ['history', '--json'])

  expect({ ...first, stderr: besides(first) }).toEqual({
    code: 0,
    stdout: 'sent agent_advisory; nobody is listening just now\n',
    stderr: '',
  })
  expect(JSON.parse(second.stdout).items).toHaveLength(1)
  expect(lstatSync(user.dir.file('state')).mode & 0o777).toBe(0o700)
  expect(lstatSync(user.dir.file('state', 'agentd.log')).mode & 0o777).toBe(0o600)
})

test('of four that start it at once all succeed, and one daemon serves', async () => {
  await using user = await createUser()

  const outcomes = await Promise.all([
    agentd(user.env, ['advise', 'one']),
    agentd(user.env, ['roster']),
    fullAgentd(user.env, ['broadcast', 'three']),
    agentd(user.env, ['start']),
  ])
  const { stdout } = await agentd(user.env, ['history', '--json'])

  expect(outcomes.map((outcome) => [outcome.code, besides(outcome)])).toEqual(outcomes.map(() => [0, '']))
  expect(JSON.parse(stdout).items).toHaveLength(2)
})

test('with --no-start, or the variable for it, nothing is started', async () => {
  await using user = await createUser()

  await agentd(user.env, ['roster', '--no-start'])
  await agentd({ ...user.env, AGENTD_NO_START: '1' }, ['advise', 'hello'])
  await agentd(user.env, ['status'])

  expect(existsSync(user.dir.file('state'))).toBe(false)
})

test('a wrong usage starts nothing either', async () => {
  await using user = await createUser()

  await agentd(user.env, ['send', '--kind', 'agent_advisory', '{'])
  await agentd(user.env, ['lock', 'x', '--ttl', 'long'])

  expect(existsSync(user.dir.file('state'))).toBe(false)
})

test('start says where it listens and where its log is; a second start finds it running', async () => {
  await using user = await createUser()

  const first = await agentd(user.env, ['start'])
  const second = await agentd(user.env, ['start', '--json'])

  expect(first.stdout).toMatch(
    /^agentd started, pid \d+\n {2}socket {2}\S+agentd\.sock\n {2}log {5}\S+agentd\.log\n$/,
  )
  expect(JSON.parse(second.stdout)).toMatchObject({ started: false, socket: user.env['AGENTD_SOCKET'] })
  expect(readFileSync(user.dir.file('state', 'agentd.log'), 'utf8')).toContain('serving')
})

test('--socket names the daemon that is started, from any working directory', async () => {
  await using user = await createUser()
  const socket = user.dir.file('other.sock')

  const started = await agentd(user.env, ['start', '--socket', socket])
  const status = await agentd(user.env, ['status', '--json', '--socket', socket])
  const stopped = await agentd(user.env, ['stop', '--socket', socket])

  expect(started.code).toBe(0)
  expect(JSON.parse(status.stdout)).toMatchObject({ socket, principal: '~alice' })
  expect(stopped.code).toBe(0)
})

test('a session token does not reach the daemon that is started with it', async () => {
  await using user = await createUser()

  await agentd({ ...user.env, AGENTD_TOKEN: 'a-secret' }, ['start'])
  const { stdout } = await agentd(user.env, ['status', '--json'])

  const environ = readFileSync(`/proc/${JSON.parse(stdout).pid}/environ`, 'utf8')
  expect(environ).toContain('AGENTD_SOCKET')
  expect(environ).not.toContain('a-secret')
})

test('stop returns when the process is gone, so that start works at once; stopping twice is no error', async () => {
  await using user = await createUser()
  await agentd(user.env, ['start'])
  const { pid } = JSON.parse((await agentd(user.env, ['status', '--json'])).stdout)

  const stopped = await agentd(user.env, ['stop'])
  const isAlive = processStartTime(pid)
  const again = await agentd(user.env, ['stop'])
  const restarted = await agentd(user.env, ['start'])

  expect(stopped).toEqual({ code: 0, stdout: `agentd stopped, pid ${pid}\n`, stderr: '' })
  expect(isAlive).toBeUndefined()
  expect(again).toEqual({ code: 0, stdout: 'agentd is not running\n', stderr: '' })
  expect(restarted.code).toBe(0)
})

test.runIf(runsOnLinux('the environment of a process'))(
  'a daemon that a command starts knows none of its secrets, and what it has to know (HD-22)',
  async () => {
    await using user = await createUser()
    const secrets = {
      API_KEY: 's1',
      AGENTD_TOKEN: 's2',
      XDG_SECRET: 's3',
      AGENTD_OTHER: 's4',
      NODE_OPTIONS: '',
    }

    const { stdout } = await agentd({ ...user.env, ...secrets }, ['start', '--json'])

    const text = readFileSync(`/proc/${String(JSON.parse(stdout).pid)}/environ`, 'utf8')
    const names = text.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(0, line.indexOf('='))]))
    const known = [
      'AGENTD_PRINCIPAL',
      'AGENTD_SOCKET',
      'AGENTD_STATE_DIR',
      'HOME',
      'PATH',
      'TZ',
      'XDG_CONFIG_HOME',
    ]
    expect(names.filter((name) => name !== 'NODE_V8_COVERAGE').toSorted()).toEqual(
      [...known, 'AGENTD_READY_FD', 'UV_THREADPOOL_SIZE'].toSorted(),
    )
  },
)
