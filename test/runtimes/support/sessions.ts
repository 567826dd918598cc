/**
 * Sessions of runtimes as their hooks see them: a real daemon, real repositories, real processes.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { AGENTD, agentd, type Env, type Outcome } from '../../cli/support.ts'
import { git } from '../../support/git.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { post, request, type Reply } from '../../support/http.ts'
import { instrumentOf } from '../../../src/runtimes/events/instrument.ts'
import { payloadOf, runtimeOf, type Payload } from './fixtures.ts'

export { AGENTD }

/** A hook's answer, as its runtime would read it. */
export interface Answered extends Outcome {
  // Answers have every shape there is, and a wrong guess is a failing test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

/** One repository with a second worktree. Use it with `await using`. */
export interface Checkout extends AsyncDisposable {
  readonly dir: TempDir
  readonly main: string
  readonly other: string
  /** Another repository altogether. */
  readonly stranger: string
}

export async function createCheckout(): Promise<Checkout> {
  const dir = await createTempDir()
  const root = realpathSync(dir.path)
  const [main, other, stranger] = [join(root, 'api'), join(root, 'api-fix'), join(root, 'web')]
  for (const path of [main, stranger]) {
    mkdirSync(join(path, 'src'), { recursive: true })
    writeFileSync(join(path, 'src', 'auth.ts'), 'export {}\n')
    git(path, 'init', '--quiet', '--initial-branch=main')
    git(path, 'add', '.')
    git(path, 'commit', '--quiet', '--message=begin')
  }
  git(main, 'worktree', 'add', '--quiet', '-b', 'fix', other)
  return { dir, main, other, stranger, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() }
}

/** One session of a runtime, with a process that stands for the runtime's own. */
export interface RuntimeSession extends AsyncDisposable {
  readonly pid: number
  readonly id: string
  /** Under which its hooks register it. */
  readonly address: string
  /** Runs the hook for an event. */
  hook(name: string, changes?: Payload, env?: Record<string, string>): Promise<Answered>
  /** A prompt, and what the model is told with it. */
  prompt(): Promise<string>
  /** A tool has written a file. */
  edited(path: string): Promise<Answered>
  /** A tool is about to write one. */
  editing(path: string): Promise<Answered>
}

let count = 0

/** A tool of Claude Code's that writes this file. */
function tool(path: string): Payload {
  return { tool_name: 'Edit', tool_input: { file_path: path } }
}

/** @param options.id - the runtime's own id of the session */
export function startSession(
  env: Env,
  cwd: string,
  {
    runtime = 'claude-code',
    id = `session-${(count += 1)}`,
    pid,
  }: { runtime?: string; id?: string; pid?: number } = {},
): RuntimeSession {
  const child =
    pid === undefined
      ? spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
      : undefined
  const own = pid ?? child?.pid ?? -1
  const base =
    runtime === 'cursor'
      ? { conversation_id: id, workspace_roots: [cwd] }
      : runtime === 'vscode'
        ? { sessionId: id }
        : { session_id: id }
  let calls = 0
  const hook = (
    name: string,
    changes: Payload = {},
    more: Record<string, string> = {},
  ): Promise<Answered> => {
    calls += 1
    const ids = { tool_use_id: `tool-${id}-${calls}`, prompt_id: `prompt-${id}-${calls}` }
    const unique = runtime === 'claude-code' ? ids : {}
    const payload = payloadOf(runtime, name, { ...base, cwd, ...unique, ...changes })
    return runHook({ ...env, CLAUDE_PID: String(own), ...more }, runtime, JSON.stringify(payload))
  }
  return {
    pid: own,
    id,
    get address() {
      return addressOf(runtime, id)
    },
    hook,
    prompt: async () => contextOf(await hook('prompt')),
    edited: (path) => hook('after-edit', tool(path)),
    editing: (path) => hook('before-tool', tool(path)),
    async [Symbol.asyncDispose]() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await new Promise((resolve) => child.once('close', resolve))
    },
  }
}

/** The context in an answer of Claude Code's; empty when there is none. */
export function contextOf({ json }: Answered): string {
  return json?.hookSpecificOutput?.additionalContext ?? ''
}

/** The address under which hooks register a session that begins with the start in the fixtures. */
export function addressOf(runtime: string, id: string): string {
  const { model } = payloadOf(runtime, 'session-start')
  const instrument = instrumentOf(runtimeOf(runtime).tool, typeof model === 'string' ? model : undefined)
  return `~alice/${instrument}@${id}`
}

/** Runs the hook with exactly this on its stdin. */
export async function runHook(
  env: Env,
  runtime: string,
  input: string,
  options: readonly string[] = [],
): Promise<Answered> {
  const outcome = await agentd(env, ['hook', runtime, ...options], input)
  return { ...outcome, json: outcome.stdout === '' ? undefined : JSON.parse(outcome.stdout) }
}

/** A session that is no runtime's: somebody to send and to ask with. */
export async function startPeer(
  socket: string,
  facts: Payload = {},
): Promise<{ address: string; token: string }> {
  const { body } = await post(socket, '/v1/sessions', {
    instrument: 'codex',
    session_id: `peer-${(count += 1)}`,
    mailbox: true,
    ...facts,
  })
  return body
}

export function say(socket: string, verb: string, body: Payload, token?: string): Promise<Reply> {
  return post(socket, `/v1/verbs/${verb}`, body, token)
}

/** Tells one session something that is not urgent. @returns the id of the frame */
export async function tell(socket: string, { address }: RuntimeSession, text: string): Promise<string> {
  return (await say(socket, 'agent_advise', { text, recipient_scope: address })).body.frame_id
}

/** The roster of `~alice`. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function rosterOf(socket: string): Promise<any[]> {
  return (await request(socket, '/v1/handles/~alice/roster')).body.sessions
}

/** The token under which hooks speak for a runtime's session; undefined when they have registered none of that id. */
export async function tokenOf(
  socket: string,
  id: string,
  runtime = 'claude-code',
): Promise<string | undefined> {
  const path = `/v1/hooks/${runtime}?session=${encodeURIComponent(id)}`
  return (await request(socket, path)).body.session?.token
}

/** Frames of one kind, oldest first. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function framesOf(socket: string, kind: string): Promise<any[]> {
  const { body } = await request(socket, `/v1/frames?filter=kind:${kind}`)
  return body.items.map((item: { frame: unknown }) => item.frame)
}

/** A way to the daemon that counts. */
export interface Counted extends AsyncDisposable {
  readonly path: string
  requests(): number
}

/** Passes everything on, and counts the requests in it. */
export async function countRequests(socket: string, path: string): Promise<Counted> {
  let requests = 0
  const server = createServer((incoming) => {
    const outgoing = connect(socket)
    incoming.on('data', (chunk: Buffer) => {
      requests += chunk.toString('latin1').split(' HTTP/1.1\r\n').length - 1
    })
    for (const one of [incoming, outgoing]) one.on('error', () => {})
    incoming.pipe(outgoing).pipe(incoming)
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    path,
    requests: () => requests,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
