/** `agentd ui`: the first call, the next ones, the browser it opens, and the end of it (SEAT-15, SEAT-18). */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { isSo } from '../../../support/needs.ts'
import { within } from '../../../support/within.ts'
import { installRecorder } from '../../../ui/serve/alerts/recorder.ts'
import { agentd, createUser, startAgentd, words } from '../../support.ts'

/** A user whose page is ended with the test, before the daemon is. */
async function createSitter() {
  const user = await createUser()
  return {
    ...user,
    async [Symbol.asyncDispose]() {
      await agentd(user.env, ['ui', '--stop'])
      await user[Symbol.asyncDispose]()
    },
  }
}

async function statusOf(url: string): Promise<number | undefined> {
  const request = get(url, { agent: false })
  const [answer]: IncomingMessage[] = await within(once(request, 'response'), url)
  answer?.resume()
  return answer?.statusCode
}

test('the first call starts the daemon and the page, the next one makes another link of it (SEAT-15)', async () => {
  await using user = await createSitter()

  const first = await agentd(user.env, words('ui --no-open --json'))
  const second = await agentd(user.env, words('ui --no-open'))

  const told = JSON.parse(first.stdout)
  expect(first.code).toBe(0)
  expect(told).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/),
    pid: expect.any(Number),
    port: Number(new URL(told.url).port),
    peer_check: expect.stringMatching(/^(?:kernel|unavailable)$/),
  })
  expect(second.stdout).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${told.port}/#key=[\\w-]{43}\\n$`))
  expect(second.stdout.trim()).not.toBe(told.url)
  expect(await statusOf(`http://127.0.0.1:${told.port}/`)).toBe(200)
  const log = readFileSync(user.dir.file('state', 'ui.log'), 'utf8')
  expect(log).toContain('"event":"serving"')
  for (const { url } of [told, { url: second.stdout.trim() }])
    expect(log).not.toContain(url.split('#key=')[1])
})

test('the page ends when it is told to, leaves no socket, and is not there twice (SEAT-18)', async () => {
  await using user = await createSitter()
  const { pid } = JSON.parse((await agentd(user.env, words('ui --no-open --json'))).stdout)

  const taken = await agentd(user.env, words('ui --foreground --no-open'))
  const stopped = await agentd(user.env, words('ui --stop --json'))
  const again = await agentd(user.env, words('ui --stop'))

  expect(taken).toMatchObject({ code: 78, stderr: expect.stringContaining('already') })
  expect(JSON.parse(stopped.stdout)).toEqual({ stopped: true, pid })
  expect(existsSync(user.dir.file('ui.sock'))).toBe(false)
  expect(again).toMatchObject({ code: 0, stdout: 'no page is served\n' })
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends a page in the foreground with 0 (SEAT-18)',
  async (signal) => {
    await using user = await createSitter()
    await using page = startAgentd(user.env, words('ui --foreground --no-open'))
    const [url = ''] = await page.untilSaid(/http:\/\/127\.0\.0\.1:\d+/)
    expect(await statusOf(`${url}/`)).toBe(200)

    page.signal(signal)
    const { code } = await within(page.ended, 'the end of the page')

    expect(code).toBe(0)
    expect(existsSync(user.dir.file('ui.sock'))).toBe(false)
  },
)

test('what a killed one leaves is in nobody’s way (SEAT-18)', async () => {
  await using user = await createSitter()
  await using page = startAgentd(user.env, words('ui --foreground --no-open'))
  await page.untilSaid(/http:\/\/127\.0\.0\.1:\d+/)

  page.signal('SIGKILL')
  await within(page.ended, 'the end of the page')
  expect(existsSync(user.dir.file('ui.sock'))).toBe(true)

  expect(await agentd(user.env, words('ui --no-open'))).toMatchObject({ code: 0 })
})

/** A user with programs in place of those that open a browser and name it. @returns the address a browser was opened at */
async function openWith(user: Awaited<ReturnType<typeof createSitter>>, browser: string): Promise<string> {
  const bin = user.dir.file('bin')
  mkdirSync(bin)
  const opened = user.dir.file('opened')
  const install = (name: string, script: string): void => {
    writeFileSync(`${bin}/${name}`, `#!/bin/sh\n${script}\n`)
    chmodSync(`${bin}/${name}`, 0o755)
  }
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  install(opener, `printf '%s\\n' "$#" "$1" > "${opened}.part"\nmv "${opened}.part" "${opened}"`)
  install('xdg-settings', `echo ${browser}`)
  const { BROWSER: _b, WSL_DISTRO_NAME: _w, ...bare } = user.env
  const env = { ...bare, PATH: `${bin}:${user.env['PATH']}`, DISPLAY: ':9' }

  const { code, stdout } = await agentd(env, ['ui'])

  expect([code, stdout]).toEqual([0, expect.stringContaining('your browser opens the page')])
  await vi.waitFor(() => expect(existsSync(opened)).toBe(true), 20_000)
  const [count, address = ''] = readFileSync(opened, 'utf8').split('\n')
  expect(count).toBe('1')
  return address
}

test('the browser gets a file, no address with a key in it, and no shell is between (SEAT-15)', async () => {
  await using user = await createSitter()

  const address = await openWith(user, 'firefox.desktop')

  const pages = readdirSync(user.dir.path).filter((name) => name.startsWith('open-'))
  expect([address.slice(0, 8), basename(address)]).toEqual(['file:///', pages[0]])
  expect(statSync(user.dir.file(pages[0] ?? '')).mode & 0o777).toBe(0o600)
  expect(statSync(user.dir.path).mode & 0o777).toBe(0o700)
})

test.runIf(isSo(process.platform !== 'darwin', 'a browser of macOS reads what its user may read'))(
  'a browser that may not read the file gets the link, where others who see it cannot use it (SEAT-15)',
  async () => {
    await using user = await createSitter()

    const address = await openWith(user, 'firefox_firefox.desktop')

    const { peer_check: peerCheck } = JSON.parse(
      (await agentd(user.env, words('ui --no-open --json'))).stdout,
    )
    expect(address).toMatch(peerCheck === 'kernel' ? /^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/ : /^file:/)
  },
)

test.runIf(
  isSo(process.platform !== 'darwin', 'nothing can be taken off the path of macOS that opens a browser'),
)('where nothing opens a browser it says so, and prints the link (SEAT-26)', async () => {
  await using user = await createSitter()
  const { DISPLAY: _x, WAYLAND_DISPLAY: _w, WSL_DISTRO_NAME: _d, BROWSER: _b, ...bare } = user.env

  const { code, stdout, stderr } = await agentd({ ...bare, PATH: '/bin:/usr/bin' }, ['ui'])

  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}\n$/)])
  expect(stderr).toContain('Nothing here opens a browser; open the link in one yourself.')
})

test('without a daemon, and not allowed to start one, it ends with 69; in a place of others with 78 (SEAT-15)', async () => {
  await using user = await createSitter()

  const absent = await agentd(user.env, words('--no-start ui --no-open'))
  await agentd(user.env, ['start'])
  chmodSync(user.dir.path, 0o755)
  const open = await agentd(user.env, words('ui --no-open'))
  chmodSync(user.dir.path, 0o700)

  expect(absent.code).toBe(69)
  expect(open.code).toBe(78)
})

test('each start of the page’s process reads anew whether single keys do something (SEAT-31)', async () => {
  await using user = await createSitter()
  const config = user.dir.file('config', 'agentd.json')
  const env = { ...user.env, AGENTD_CONFIG: config }
  const told = async (singleKeys: boolean): Promise<unknown> => {
    writeFileSync(config, JSON.stringify({ ui: { single_keys: singleKeys } }), { mode: 0o600 })
    const { stdout } = await agentd(env, words('ui --no-open --json'))
    const { port } = JSON.parse(stdout)
    const response = await fetch(`http://127.0.0.1:${port}/hello?nonce=0123456789abcdef`)
    await agentd(env, words('ui --stop'))
    return response.json()
  }

  expect(await told(false)).toMatchObject({ single_keys: false })
  expect(await told(true)).toMatchObject({ single_keys: true })
})

test(
  'while no page is connected the system tells of a question, by its own program (SEAT-43)',
  { timeout: 60_000 },
  async () => {
    await using user = await createSitter()
    const recorder = installRecorder(user.dir, process.platform === 'darwin' ? 'osascript' : 'notify-send')
    const env = { ...user.env, PATH: `${recorder.env['PATH']}:${user.env['PATH']}` }
    await using page = startAgentd(env, words('ui --foreground --no-open'))
    await page.untilSaid(/http:\/\/127\.0\.0\.1:\d+/)

    const asked = await agentd(user.env, ['ask', 'May I push?', '--scope', '~alice/human*'])
    await vi.waitFor(() => expect(recorder.calls()).toHaveLength(1), 40_000)

    expect(asked.code).toBe(3)
    expect(recorder.calls()[0]?.slice(-2)).toEqual([expect.stringMatching(/ · question$/), 'May I push?'])
  },
)
