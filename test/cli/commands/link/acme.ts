/**
 * An organisation over a hub of alice's, and bob, who asks to be let in: two homes, and nothing but commands.
 */
import { readFileSync } from 'node:fs'
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { z } from 'zod'
import { atTerminal } from '../../person.ts'
import { agentd, createUser, type Env } from '../../support.ts'
import { makeHub } from './hub-support.ts'

const Link = z.object({
  realm: z.string(),
  handle: z.string(),
  node: z.string(),
  urls: z.array(z.string()),
  ca: z.string(),
  credential: z.object({ nkey: z.string() }),
  node_key: z.string(),
  estate: z.string(),
})

/** One of the two. */
export interface Person {
  readonly env: Env
  /** A path below their folder. */
  file(...names: readonly string[]): string
}

export interface Acme extends AsyncDisposable {
  readonly alice: Person
  readonly bob: Person
}

/** Alice has a hub that does not run yet, and has founded ~acme with the roles dev and ops. */
export async function foundAcme(): Promise<Acme> {
  const users = [await createUser(), await createUser()] as const
  const [alice, bob] = users.map(({ env, dir }, i): Person => ({
    env: i === 0 ? env : { ...env, AGENTD_PRINCIPAL: '~bob' },
    file: (...names) => dir.file(...names),
  }))
  if (alice === undefined || bob === undefined) throw new Error('nobody is there')
  await makeHub(alice.env)
  await said(alice, ['org', 'init', '~acme', '--role', 'dev,ops'])
  return {
    alice,
    bob,
    async [Symbol.asyncDispose]() {
      for (const user of users) await user[Symbol.asyncDispose]()
    },
  }
}

/** A command of one of them that asks, answered with yes. @returns what stood on the terminal */
export async function said({ env }: Person, args: readonly string[]): Promise<string> {
  const { code, shown } = await atTerminal(env, args)
  if (code !== 0) throw new Error(`agentd ${args.join(' ')}: ${code}\n${shown}`)
  return shown
}

/** As {@link said}, by whoever has the charter that the invitation brings: nothing is asked. @returns what is noted */
export async function addedUnasked({ env }: Person, args: readonly string[]): Promise<string> {
  const { code, stderr } = await agentd(env, ['link', 'add', ...args])
  if (code !== 0) throw new Error(`agentd link add ${args.join(' ')}: ${code}\n${stderr}`)
  return stderr
}

/**
 * Asks to be let in as `box`, and is invited.
 *
 * @param entities - that the charter names for them; absent: none
 * @returns the file of the invitation
 */
export async function invited(
  { alice, bob }: Acme,
  who: Person = bob,
  roles = 'dev',
  entities?: string,
): Promise<string> {
  const label = who === bob ? 'box' : 'laptop'
  const [request, invitation] = [who.file('x.request'), who.file('x.invitation')]
  await said(who, ['org', 'request', '~acme', '--node', label, '--to', request])
  const named = entities === undefined ? [] : ['--entities', entities]
  await said(alice, ['org', 'invite', request, '--role', roles, ...named, '--to', invitation])
  return invitation
}

/** What a link of one of them holds, secrets and all. */
export function linkOf(person: Person, name = 'acme') {
  return Link.parse(JSON.parse(readFileSync(person.file('state', 'links', name, 'link.json'), 'utf8')))
}

/** Enters the hub as a link does. */
export function enterAs({
  urls,
  ca,
  handle,
  node,
  credential,
}: z.infer<typeof Link>): Promise<NatsConnection> {
  const tls: { ca: string; servername?: string } = { ca, servername: 'agentd-hub' }
  return connect({
    servers: urls,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(credential.nkey)),
    inboxPrefix: `_INBOX_${handle.slice(1)}_${node}`,
    reconnect: false,
    tls,
  })
}

/** What the hub lets in, as `link hub list --json` has it. */
export const HubList = z.object({
  realms: z
    .array(
      z.object({
        realm: z.string(),
        nodes: z.array(z.object({ node: z.string(), state: z.string(), reads: z.string() })),
      }),
    )
    .optional(),
})
