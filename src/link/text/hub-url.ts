/**
 * Where a hub is: `nats://host:port` or `tls://host:port`, and nothing else in it.
 *
 * @see FED-14
 */

const MAX_URL_LENGTH = 300

const SCHEMES: ReadonlySet<string> = new Set(['nats:', 'tls:'])

/** Names and addresses that lead to this machine itself. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether a value is the address of a hub; one with a name and a password is none. */
export function isHubUrl(value: unknown): value is string {
  const url = typeof value === 'string' ? urlOf(value) : undefined
  return url !== undefined && SCHEMES.has(url.protocol) && isBare(url)
}

/** Whether a certificate is asked for, whatever else is said. */
export function isTlsUrl(text: string): boolean {
  return urlOf(text)?.protocol === 'tls:'
}

/** Whether nobody but this machine is on the way. */
export function isLoopbackUrl(text: string): boolean {
  return LOOPBACK.test(urlOf(text)?.hostname ?? '')
}

function isBare({ hostname, username, password, pathname, search, hash }: URL): boolean {
  return hostname !== '' && `${username}${password}${search}${hash}` === '' && /^\/?$/.test(pathname)
}

function urlOf(text: string): URL | undefined {
  return text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined
}
