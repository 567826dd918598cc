/**
 * The folders of somebody with two handles and an organisation, and their daemon.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { createKey } from '../../src/aee/keys/new-key.ts'
import { readKey, type Key } from '../../src/aee/keys/key.ts'
import { formatDocument } from '../../src/authority/document.ts'
import { Handles, formatHandles } from '../../src/authority/handles.ts'
import { authorityFolder } from '../../src/host/authority/authority-files.ts'
import { signedCharter, type CharterWish } from '../authority/documents.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { validFrame } from '../support/frames.ts'
import { post, request } from '../support/http.ts'
import type { TempDir } from '../support/temp-dir.ts'

const MEMBERS = [
  { handle: '~alice', roles: ['owner'] },
  { handle: '~alice-work', roles: ['dev'] },
]

/** The folders of a user who goes by `~alice-work` too and holds the key of `~acme`. */
export function settle(dir: TempDir): Key {
  const { kid, text } = createKey({ alg: 'ed25519', entities: ['~acme'], nowMs: Date.now() })
  for (const name of ['state', 'state/keys', 'state/authority'])
    mkdirSync(dir.file(name), { mode: 0o700, recursive: true })
  writeFileSync(dir.file('state', 'keys', `${kid}.json`), text, { mode: 0o600 })
  declare(dir, '~alice-work')
  return readKey(text)
}

/** From now on these are declared, besides the principal. */
export function declare(dir: TempDir, ...handles: readonly string[]): void {
  const declared = handles.map((handle) => ({ handle, tier: 'sovereign' as const }))
  const text = formatHandles(new Handles('~alice', declared))
  authorityFolder(dir.file('state')).put({ name: 'handles.json', text }, process.getuid?.() ?? -1)
}

/** Puts a charter there as somebody would who copies a file. */
export function put(
  dir: TempDir,
  key: Key,
  wish: CharterWish,
  change = (text: string): string => text,
): void {
  const text = change(formatDocument(signedCharter(key, { members: MEMBERS, ...wish })))
  authorityFolder(dir.file('state')).put({ name: 'charter.acme.json', text }, process.getuid?.() ?? -1)
}

/** Registers a session of a handle. @returns its token */
export async function open(daemon: TestDaemon, handle: string, id: string): Promise<string> {
  const body = { instrument: 'cc', session_id: id, tool: 'cc', handle, mailbox: true }
  const { status, body: session } = await post(daemon.socket, '/v1/sessions', body)
  expect({ status, principal: session.principal }).toEqual({ status: 201, principal: handle })
  return session.token
}

/** Sends to an organisation as a session of a handle. */
export function send(daemon: TestDaemon, token: string, handle: string, scope = 'org:~acme/members/*') {
  const frame = validFrame('agent_advisory', {
    sender_handle: handle,
    acted_by: handle,
    drafted_with: '~cc',
    recipient_handle: scope.startsWith('org:') ? '~acme' : handle,
  })
  return post(daemon.socket, '/v1/frames', { recipient_scope: scope, frame }, token)
}

/** Empties a mailbox. @returns how much there was */
export async function drained(daemon: TestDaemon, token: string): Promise<number> {
  return (await post(daemon.socket, '/v1/inbox/drain', {}, token)).body.items.length
}

/** What the daemon says is wrong. */
export async function faults(daemon: TestDaemon): Promise<string> {
  return (await request(daemon.socket, '/v1/health')).body.details.join('\n')
}
