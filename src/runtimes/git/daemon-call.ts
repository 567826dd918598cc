/**
 * One request to the daemon from a git hook: no library, no waiting, no daemon that is started for it.
 *
 * @see docs/http.md §§2, 3
 */
import { request } from 'node:http'

/** What is asked. */
export interface DaemonCall {
  readonly socketPath: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly token: string | undefined
  readonly signal: AbortSignal
}

/** What was answered; 0 when nobody did in time. */
export interface DaemonAnswer {
  readonly status: number
  readonly value: unknown
}

/** The longest answer that is read. */
const MAX_ANSWER_OCTETS = 262_144

const SILENCE: DaemonAnswer = { status: 0, value: undefined }

/** Never rejects. */
export function callDaemon({
  socketPath,
  method,
  path,
  body,
  token,
  signal,
}: DaemonCall): Promise<DaemonAnswer> {
  return new Promise((resolve) => {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    try {
      const call = request({ socketPath, method, path, headers, signal, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (text.length > MAX_ANSWER_OCTETS) response.destroy()
        })
        response.once('end', () => resolve({ status: response.statusCode ?? 0, value: readJson(text) }))
        response.once('close', () => resolve(SILENCE))
        response.once('error', () => resolve(SILENCE))
      })
      call.once('error', () => resolve(SILENCE))
      call.end(body === undefined ? undefined : JSON.stringify(body))
    } catch {
      // A token that cannot stand in a header is no token.
      resolve(SILENCE)
    }
  })
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    // Whatever answered is not agentd.
    return undefined
  }
}
