/**
 * The types of the client, as a program has them: by themselves (LB-04).
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { DIST } from '../support/start-graph.ts'
import { createTempDir } from '../support/temp-dir.ts'

const CLIENT = join(DIST, 'agentd-client')
const MODULES = join(DIST, '..', 'node_modules')

const CONSUMER = `
import { AgentdError, AgentdUnreachable, connect, type Frame, type FrameOf, type RosterSession } from 'agentd-client'
import { readKey, signEnvelope } from 'agentd-client/aee'

export async function listen(signal: AbortSignal): Promise<readonly RosterSession[]> {
  await using client = await connect({ start: true, signal })
  await using session = await client.session({ instrument: 'cc', entities: ['agent.a'] })
  const lease = await session.lock('src/a.ts', { ttlMs: 1_000, signal })
  const holders: readonly string[] = lease.heldBy.map(({ holder }) => holder)
  for await (const item of session.stream({ signal })) {
    if (item.type === 'gap') continue
    if (item.type === 'frame' && item.frame.kind === 'agent_query') answer(item.frame)
  }
  return holders.length === 0 ? [] : session.roster()
}

function answer({ payload }: FrameOf<'agent_query'>): string {
  return payload.query_text
}

export function codeOf(thrown: unknown, frame: Frame): string | undefined {
  if (thrown instanceof AgentdUnreachable) return thrown.socketPath
  return thrown instanceof AgentdError ? thrown.code : frame.sender_handle
}

export const keys = [readKey, signEnvelope]
`

describe('a program that is checked against them', () => {
  test.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'with module %s and resolution %s needs no other types than those of Node (LB-04)',
    async (module, resolution) => {
      await using dir = await createTempDir()
      mkdirSync(dir.file('node_modules/@types'), { recursive: true })
      cpSync(CLIENT, dir.file('node_modules/agentd-client'), { recursive: true })
      for (const name of ['@types/node', 'undici-types'])
        symlinkSync(join(MODULES, name), dir.file(`node_modules/${name}`))
      writeFileSync(dir.file('package.json'), '{"type":"module"}')
      writeFileSync(dir.file('program.ts'), CONSUMER)
      const options = [
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--target',
        'es2023',
        '--types',
        'node',
      ]
      const tsc = join(dirname(MODULES), 'node_modules/typescript/bin/tsc')

      const { stdout } = await promisify(execFile)(
        process.execPath,
        [
          tsc,
          ...options,
          '--skipLibCheck',
          'false',
          '--module',
          module,
          '--moduleResolution',
          resolution,
          'program.ts',
        ],
        { cwd: dir.path },
      ).catch((failed: { stdout: string }) => failed)

      expect(stdout).toBe('')
    },
  )
})
