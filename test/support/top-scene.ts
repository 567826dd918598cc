/**
 * `agentd top` in a real terminal, on a real daemon with one agent at it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { connect, type AgentdClient, type AgentdSession } from '../../src/client/index.ts'
import { startTestDaemon, type TestDaemon } from './daemon.ts'
import { openPane, type TmuxOptions, type TmuxPane } from './tmux.ts'

const AGENTD = fileURLToPath(new URL('../../bin/agentd.cjs', import.meta.url))

/** Use it with `await using`. */
export interface Scene extends AsyncDisposable {
  readonly daemon: TestDaemon
  readonly client: AgentdClient
  /** Who asks; what is for it waits in its mailbox. */
  readonly agent: AgentdSession
  readonly pane: TmuxPane
  /** What the agent was told, the newest last. */
  readonly told: () => Promise<readonly Record<string, unknown>[]>
}

/** With `agentd top` on the terminal, live. */
export async function stage(size: Omit<TmuxOptions, 'env'> = {}): Promise<Scene> {
  const daemon = await startTestDaemon()
  const client = await connect({ socket: daemon.socket })
  const agent = await client.session({
    instrument: 'cc-opus',
    sessionId: 's1',
    title: 'api refactor',
    mailbox: true,
    entities: ['agent.worker'],
  })
  const pane = await openPane({ ...size, env: { ...daemon.env, EDITOR: 'printf "from the editor" >' } })
  await pane.untilShown(/\$/)
  const file = (name: string): string => daemon.dir.file(name)
  const top = `sh -c 'echo $$ > ${file('pid')}; exec ${process.execPath} --import ${file('defect.mjs')} ${AGENTD} top'`
  writeFileSync(file('defect.mjs'), 'process.on("SIGUSR2", () => { throw new Error("made up") })')
  pane.type(
    `clear; stty -g > ${file('before')}; ${top}; code=$?; stty -g > ${file('after')}; echo ended-$code`,
  )
  pane.press('Enter')
  await pane.untilShown(/● live/)
  return {
    daemon,
    client,
    agent,
    pane,
    told: async () =>
      (await agent.inbox.drain()).items.map(({ frame, envelope }) => ({
        ...frame,
        ...envelope,
        payload: frame?.payload ?? envelope?.payload,
      })),
    async [Symbol.asyncDispose]() {
      await pane[Symbol.asyncDispose]()
      await client.close()
      await daemon[Symbol.asyncDispose]()
    },
  }
}

/** Presses `q`, and looks whether the terminal is as it was. */
export async function quit({ daemon, pane }: Scene): Promise<void> {
  pane.press('q')
  await restored({ daemon, pane }, 0)
}

/** The terminal is the shell's again, with its own screen, and set as it was before. */
export async function restored(
  { daemon, pane }: Pick<Scene, 'daemon' | 'pane'>,
  code: number,
): Promise<void> {
  await pane.untilShown(new RegExp(`ended-${code}\\n`))
  const [before, after] = ['before', 'after'].map((name) => readFileSync(daemon.dir.file(name), 'utf8'))
  expect(after).toBe(before)
  expect(pane.isAlternate()).toBe(false)
  expect(pane.screen()).not.toContain('NEEDS YOU')
}
