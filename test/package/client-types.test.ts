/**
 * The types of the client, as a program has them: by themselves, and in words (LB-04).
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseSync } from 'oxc-parser'
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

/** What the compiler says of a program beside the package, and the types of Node where they are wished. */
async function faultsOf(
  program: string,
  options: readonly string[],
  more: readonly string[] = [],
): Promise<string> {
  await using dir = await createTempDir()
  mkdirSync(dir.file('node_modules/@types'), { recursive: true })
  cpSync(CLIENT, dir.file('node_modules/agentd-client'), { recursive: true })
  for (const name of more) symlinkSync(join(MODULES, name), dir.file(`node_modules/${name}`))
  writeFileSync(dir.file('package.json'), '{"type":"module"}')
  writeFileSync(dir.file('program.ts'), program)
  const tsc = join(MODULES, 'typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [tsc, '--noEmit', '--strict', ...options, 'program.ts'],
    { cwd: dir.path },
  ).catch((failed: { stdout: string }) => failed)
  return stdout
}

/** All of a compiler's libraries are read too. */
const WHOLE = [
  '--exactOptionalPropertyTypes',
  '--target',
  'es2023',
  '--types',
  'node',
  '--skipLibCheck',
  'false',
]

describe('a program that is checked against them', () => {
  test.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'with module %s and resolution %s needs no other types than those of Node (LB-04)',
    async (module, resolution) => {
      const options = [...WHOLE, '--module', module, '--moduleResolution', resolution]

      expect(await faultsOf(CONSUMER, options, ['@types/node', 'undici-types'])).toBe('')
    },
  )

  test('needs no types at all beside those that the compiler has by default (LB-04)', async () => {
    expect(await faultsOf(CONSUMER, ['--module', 'nodenext'])).toBe('')
  })

  test('is told of what is wrong in one line each, with the name that was meant (LB-04)', async () => {
    const program = `
      import { connect } from 'agentd-client'
      const client = await connect({ sokcet: '/x' })
      const session = await client.session({ instrument: 'a', titel: 'x' })
      await session.advise({ wrong: 1 })
      await session.advise('x', { wrong: 1 })
      await session.broadcast('x', { eventClass: 'marged' })
      await session.advize('x')`

    const faults = await faultsOf(program, ['--module', 'nodenext'])

    expect(
      faults
        .trimEnd()
        .replaceAll(/^program\.ts\((\d+),\d+\): error TS\d+: /gm, '$1 ')
        .split('\n'),
    ).toEqual([
      "3 Object literal may only specify known properties, but 'sokcet' does not exist in type 'ConnectOptions'. Did you mean to write 'socket'?",
      "4 Object literal may only specify known properties, but 'titel' does not exist in type 'SessionOptions'. Did you mean to write 'title'?",
      "5 Argument of type '{ wrong: number; }' is not assignable to parameter of type 'string'.",
      "6 Object literal may only specify known properties, and 'wrong' does not exist in type 'AdviseOptions'.",
      `7 Type '"marged"' is not assignable to type '"merged" | "other" | "released" | "stale" | undefined'. Did you mean '"merged"'?`,
      "8 Property 'advize' does not exist on type 'AgentdSession'. Did you mean 'advise'?",
    ])
  })
})

/** Ids of requirements, sections and pages, which a reader of the types does not have. */
const REFERENCES = /\b(?:AC|ACQ|AEE|AEQ|HD|HO|OP|PD|SEAT|SSE|FED|LB|W|R)-[A-Z]?\d+|§|docs\/|\.ts\b|\{@link/

/** What every class has, and what nobody reads who calls it. */
const KNOWN = /^(?:#private|constructor|get \[Symbol|\[Symbol\.|readonly name\b|static maxStackCalls)/

/** What may stand between a comment and what it is about. */
const MODIFIERS = /^(?:declare|abstract|export|readonly|static|[\s|])*$/

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string'
}

/** The nodes right below one; parameters of functions are told of by the function. */
function below(node: Node): readonly Node[] {
  return Object.entries(node)
    .filter(([key]) => key !== 'params')
    .flatMap(([, value]) => value)
    .filter((value) => isNode(value))
}

const DECLARATIONS = new Set([
  'TSInterfaceDeclaration',
  'ClassDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
])
const WITH_MEMBERS = new Set(['TSInterfaceBody', 'ClassBody', 'TSTypeLiteral'])

/** What a declaration file says of each of its declarations and their members, those of types without a name included. */
function wordsOf(name: string): {
  readonly undocumented: readonly string[]
  readonly said: readonly string[]
} {
  const text = readFileSync(join(CLIENT, name), 'utf8')
  const { program, comments } = parseSync(name, text)
  const undocumented: string[] = []
  const said: string[] = []
  const look = ({ start, end }: Node, owner: string): void => {
    const source = text.slice(start, end)
    if (KNOWN.test(source)) return
    const before = comments.findLast((comment) => comment.end <= start)
    const isNext = before !== undefined && MODIFIERS.test(text.slice(before.end, start))
    const doc = isNext && before.value.startsWith('*') ? before.value : ''
    if (doc === '') undocumented.push(`${owner}: ${source}`)
    said.push(`${owner}: ${source}: ${doc}`)
  }
  const walk = (node: Node, owner: string): void => {
    for (const child of below(node)) {
      if (WITH_MEMBERS.has(node.type)) look(child, owner)
      walk(child, owner)
    }
  }
  for (const node of program.body) {
    if (!DECLARATIONS.has(node.type)) continue
    const owner = 'id' in node && node.id !== null && 'name' in node.id ? node.id.name : ''
    look(node, owner)
    walk(node, owner)
  }
  return { undocumented, said }
}

describe.each([
  ['index.d.ts', 800],
  ['aee.d.ts', 15],
])('%s', (name, atLeast) => {
  test('says of every declaration and of every member what it is (LB-04)', () => {
    const { undocumented, said } = wordsOf(name)

    expect(undocumented).toEqual([])
    expect(said.length).toBeGreaterThan(atLeast)
  })

  test('names no requirement, no section and no page, which its reader does not have (LB-04)', () => {
    const { said } = wordsOf(name)

    expect(said.filter((words) => REFERENCES.test(words))).toEqual([])
  })
})
