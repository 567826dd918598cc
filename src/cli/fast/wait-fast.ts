/** `agentd hook <runtime> --wait`: waits on behalf of an idle session, where there is no `curl` to do it (OP-07). */
import { request } from 'node:http'
import { requireOwnSocket } from '../../host/socket/own-socket.ts'
import { readPersonKey } from '../../host/config/paths.ts'
import { KEY_HEADER } from '../../protocol/http/headers.ts'
import type { HookPlace } from './hook-place.ts'
import { readHookPayload, writeAnswer } from './hook-streams.ts'

/** The wake: Claude Code starts a turn with what stands on stderr. */
const EXIT_WAKE = 2

const STDERR = 2

/** What a session is woken with; a context is a hundredth of this. */
const MAX_WAKE_CHARS = 1_048_576

/** @returns what the process ends with */
export async function waitForWake(place: HookPlace): Promise<number> {
  const reading = readHookPayload()
  const { findSessionId } = await import('../../runtimes/told.ts')
  const session = findSessionId(await reading)
  const text = session === undefined ? undefined : await wait(place, session)
  return text !== undefined && writeAnswer(STDERR, text) ? EXIT_WAKE : 0
}

/** @returns undefined when nothing is left to wait for, and when the daemon goes */
function wait({ environment, runtime, socketPath }: HookPlace, session: string): Promise<string | undefined> {
  requireOwnSocket(socketPath)
  const key = readPersonKey(environment)
  const path = `/v1/hooks/${encodeURIComponent(runtime)}/wait?session=${encodeURIComponent(session)}`
  return new Promise((resolve) => {
    const headers = key === undefined ? {} : { [KEY_HEADER]: key }
    const outgoing = request({ socketPath, path, headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.length > MAX_WAKE_CHARS) incoming.destroy()
      })
      incoming.once('end', () => resolve(incoming.statusCode === 200 && text !== '' ? text : undefined))
      incoming.once('close', () => resolve(undefined))
    })
    outgoing.once('error', () => resolve(undefined))
    outgoing.end()
  })
}
