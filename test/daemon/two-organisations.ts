/**
 * The folders of somebody whose handles are in two organisations, an accord between them, and their daemon.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { formatDocument } from '../../src/authority/document.ts'
import { documentFile } from '../../src/authority/shelf.ts'
import { createKey } from '../../src/aee/keys/new-key.ts'
import { readKey } from '../../src/aee/keys/key.ts'
import { authorityFolder } from '../../src/host/authority/authority-files.ts'
import { grantOf, signedAccord, type AccordWish, type Sides } from '../authority/accords.ts'
import { signedCharter } from '../authority/documents.ts'
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { validFrame } from '../support/frames.ts'
import { post } from '../support/http.ts'
import type { TempDir } from '../support/temp-dir.ts'
import { declare, open } from './two-handles.ts'

/** A grant to the role of that name at `~globex`. */
export const SUPPORT = 'accord:~globex/grant:support'
/** {@link SUPPORT}, for advisories. */
export const ADVISE = grantOf({ kinds: ['agent_advisory'] })

/** The folders of a user whose `~alice` is at `~acme`, and whose other handles are at `~globex`. */
export function settle(dir: TempDir): Sides {
  for (const name of ['state', 'state/keys', 'state/authority'])
    mkdirSync(dir.file(name), { mode: 0o700, recursive: true })
  const [acme, globex] = ['~acme', '~globex'].map((org) => {
    const { kid, text } = createKey({ alg: 'ed25519', entities: [org], nowMs: Date.now() })
    writeFileSync(dir.file('state', 'keys', `${kid}.json`), text, { mode: 0o600 })
    return readKey(text)
  })
  if (acme === undefined || globex === undefined) throw new Error('There are two keys.')
  declare(dir, '~helper', '~boss')
  const members = [
    { handle: '~helper', roles: ['support'] },
    { handle: '~boss', roles: [] },
  ]
  write(dir, 'charter.acme.json', formatDocument(signedCharter(acme)))
  write(dir, 'charter.globex.json', formatDocument(signedCharter(globex, { org: '~globex', members })))
  return { acme, globex }
}

/** Puts a file into the folder of documents. */
export function write(dir: TempDir, name: string, text: string): void {
  authorityFolder(dir.file('state')).put({ name, text }, process.getuid?.() ?? -1)
}

/** Puts an accord there as somebody would who copies a file. */
export function put(
  dir: TempDir,
  sides: Sides,
  wish: AccordWish = {},
  change = (text: string): string => text,
): void {
  const text = change(formatDocument(signedAccord(sides, { grants: [ADVISE], ...wish })))
  write(dir, documentFile('accord', 'acme_globex'), text)
}

/** Sends an advisory under a grant. */
export function send(daemon: TestDaemon, token: string, handle: string, scope = SUPPORT) {
  const frame = validFrame('agent_advisory', {
    sender_handle: handle,
    acted_by: handle,
    drafted_with: '~cc',
    recipient_handle: '~globex',
  })
  return post(daemon.socket, '/v1/frames', { recipient_scope: scope, frame }, token)
}

/** A daemon with one session of each handle. */
export async function start(dir: TempDir) {
  const daemon = await startTestDaemon({ dir })
  const [alice, helper, boss] = [
    await open(daemon, '~alice', 'home'),
    await open(daemon, '~helper', 'desk'),
    await open(daemon, '~boss', 'office'),
  ]
  return { daemon, alice, helper, boss, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
}
