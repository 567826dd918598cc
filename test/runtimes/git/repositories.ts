/**
 * Real git repositories of somebody who has a daemon.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../../src/client/connect.ts'
import type { AgentdStream } from '../../../src/client/stream/stream.ts'
import type { Frame } from '../../../src/protocol/frame/frame.ts'
import { AGENTD, agentd, createUser, type Env } from '../../cli/support.ts'
import { GIT_VARIABLES } from '../../support/git.ts'
import { within } from '../../support/within.ts'

/** How a program ended. */
interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** One repository and its owner. Use it with `await using`. */
export interface Repository extends AsyncDisposable {
  readonly env: Env
  readonly path: string
  /** Beside the repository. */
  beside(name: string): string
  git(args: readonly string[], env?: Env): Ended
  /** `agentd`, called in the repository. */
  agentd(args: readonly string[], env?: Env): Ended
  /** Everything that is sent from now on. */
  listen(): Promise<Listener>
  /** A session and the token it acts with. */
  session(instrument: string): Promise<string>
}

/** Hears what the hooks send. */
interface Listener extends AsyncDisposable {
  next(): Promise<Frame>
}

export async function createRepository(): Promise<Repository> {
  const user = await createUser()
  const path = join(realpathSync(user.dir.path), 'repo')
  mkdirSync(path)
  const env = {
    ...user.env,
    ...GIT_VARIABLES,
    GIT_EDITOR: ':',
  }
  const run = (program: string, args: readonly string[], more: Env = {}): Ended => {
    const { status, stdout, stderr } = spawnSync(program, [...args], {
      cwd: path,
      env: { ...env, ...more },
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const socket = user.env['AGENTD_SOCKET'] ?? ''
  run('git', ['init', '--quiet', '--initial-branch=main'])
  await agentd(env, ['start'])
  return {
    env,
    path,
    beside: (name) => user.dir.file(name),
    git: (args, more) => run('git', args, more),
    agentd: (args, more) => run(process.execPath, [AGENTD, ...args], more),
    listen: () => openListener(socket),
    async session(instrument) {
      const client = await connect({ socket })
      const { token } = await client.session({ instrument, tool: 'cc', mailbox: true })
      await client.close()
      return token
    },
    [Symbol.asyncDispose]: () => user[Symbol.asyncDispose](),
  }
}

async function openListener(socket: string): Promise<Listener> {
  const client = await connect({ socket })
  const stream = client.stream()
  await within(stream.opened, 'the stream to begin')
  return {
    next: () => within(nextFrame(stream), 'a frame'),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function nextFrame(stream: AgentdStream): Promise<Frame> {
  for (;;) {
    const { value, done } = await stream.next()
    if (done === true) throw new Error('the stream ended')
    if (value.type === 'frame') return value.frame
  }
}
