/**
 * What is written back: always with the same fields, which tell a browser to run nothing but this page's own script, to
 * show it in no frame, to keep nothing, and to tell nobody where it was.
 *
 * @see docs/ui.md "What the listener allows"; SEAT-13
 */
import type { ServerResponse } from 'node:http'
import { MEDIA_JSON } from '../../../protocol/http/media.ts'
import type { SeatRefusal } from './refusal.ts'

/** What an answer may do in a browser. @param scripts - which scripts run, as a policy names them */
export function policyOf(scripts: string): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** Features of a browser that a page may be given: none of them. */
const FEATURES = [
  'accelerometer',
  'autoplay',
  'bluetooth',
  'camera',
  'display-capture',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'web-share',
  'xr-spatial-tracking',
]

/** Of every answer. No field of CORS is among them, ever. */
export const SEAT_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': policyOf("'self'"),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': FEATURES.map((name) => `${name}=()`).join(', '),
}

/** How long a sender that goes on sending may, to read why it is refused, in milliseconds. */
const LINGER_MS = 1_000

/** A whole answer. */
export interface SeatAnswer {
  readonly status: number
  readonly mediaType: string
  readonly bytes: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer in JSON. */
export function jsonAnswer(body: object, status = 200): SeatAnswer {
  return { status, mediaType: MEDIA_JSON, bytes: Buffer.from(JSON.stringify(body)) }
}

/** A refusal as an answer. */
export function refusedAnswer({ status, body, allow, retryAfterMs }: SeatRefusal): SeatAnswer {
  const headers = {
    ...(allow !== undefined && { allow: allow.join(', ') }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
  }
  return { ...jsonAnswer(body, status), headers }
}

/** Writes it whole; a body that is still being sent is not waited for. */
export function writeSeatAnswer(response: ServerResponse, answer: SeatAnswer): void {
  const { req: request } = response
  if (response.headersSent || response.destroyed) return
  if (hasUnreadBody(response)) {
    response.setHeader('connection', 'close')
    request.resume()
    const cut = setTimeout(() => request.socket.destroy(), LINGER_MS).unref()
    request.socket.once('close', () => clearTimeout(cut))
  }
  response.writeHead(answer.status, {
    ...SEAT_HEADERS,
    ...answer.headers,
    'content-type': answer.mediaType,
    'content-length': answer.bytes.length,
  })
  response.end(request.method === 'HEAD' ? undefined : answer.bytes)
}

/** The same for a connection whose request could not be read. */
export function rawAnswer(statusLine: string, { body }: SeatRefusal): string {
  const text = JSON.stringify(body)
  const fields = {
    ...SEAT_HEADERS,
    connection: 'close',
    'content-type': MEDIA_JSON,
    'content-length': Buffer.byteLength(text),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return `${[`HTTP/1.1 ${statusLine}`, ...lines].join('\r\n')}\r\n\r\n${text}`
}

function hasUnreadBody({ req: request }: ServerResponse): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  return (coding !== undefined || Number(length ?? 0) > 0) && !request.complete
}
