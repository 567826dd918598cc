/**
 * Who may ask, by the head of a request alone: the name it was sent to, and the page it was sent from.
 *
 * A web page can make a browser send almost anything to a port of this machine, and can have a name of its own lead
 * there. What it cannot do is change what the browser says of it: `Host`, `Origin` and `Sec-Fetch-Site`.
 *
 * One request may come from no origin at all: a key in a form, from the file that a browser was opened on (SEAT-15).
 *
 * @see docs/ui.md "What the listener allows"; SEAT-13, R-37
 */
import { MEDIA_FORM } from '../../../protocol/http/media.ts'
import { refusal, type SeatRefusal } from './refusal.ts'

/** The head of a request, as it came. */
export interface RequestHead {
  readonly method: string
  /** The request target: a path, unless somebody takes this for a proxy. */
  readonly target: string
  /** Names and values in turns, none joined and none left out. */
  readonly rawHeaders: readonly string[]
}

/** The document: the one thing that may be asked for from elsewhere, since that is how a link is followed. */
export const DOCUMENT = '/'

/** Where a key is shown. */
export const LOGIN = '/login'

/** How a browser says where a document was asked for from; `none` is a person who typed it. */
const ELSEWHERE: ReadonlySet<string> = new Set(['none', 'cross-site', 'same-site'])

/** Methods that change nothing, and that a browser sends without an origin. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** All values of a field, in the order they came. @param name - in lower case */
export function valuesOf({ rawHeaders }: Pick<RequestHead, 'rawHeaders'>, name: string): readonly string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}

/** The first fault of a head, in the order of the page. @param authority - `127.0.0.1:<port>` */
export function headFault(head: RequestHead, authority: string): SeatRefusal | undefined {
  return hostFault(head, authority) ?? originFault(head, authority) ?? siteFault(head)
}

/**
 * Whether it is a form for {@link LOGIN} from a page of no origin, which a file is to a browser. Any web page can send one;
 * without a key in it, it is a wrong guess.
 */
export function isOpening(head: RequestHead): boolean {
  const isOf = (name: string, value: string): boolean => isOnly(head, name, value)
  const isPost = head.method === 'POST' && head.target === LOGIN
  return isPost && isOf('origin', 'null') && isOf('content-type', MEDIA_FORM)
}

function hostFault(head: RequestHead, authority: string): SeatRefusal | undefined {
  const hosts = valuesOf(head, 'host')
  // A target with a host in it names a second one; nobody but a client of a proxy writes it.
  if (hosts.length === 1 && hosts[0] === authority && head.target.startsWith('/')) return undefined
  return refusal('wrong-host', `Here is http://${authority}/ and nothing else.`)
}

function originFault(head: RequestHead, authority: string): SeatRefusal | undefined {
  const origins = valuesOf(head, 'origin')
  const isOwn = origins.length === 1 && origins[0] === `http://${authority}`
  if (isOwn || isOpening(head) || (origins.length === 0 && READING.has(head.method))) return undefined
  return refusal('wrong-origin', 'Only the page itself may ask this.')
}

function siteFault(head: RequestHead): SeatRefusal | undefined {
  const sites = valuesOf(head, 'sec-fetch-site')
  const isFromHere = sites.length === 1 && sites[0] === 'same-origin' && !isOpening(head)
  if (sites.length === 0 || isFromHere) return undefined
  const [site = ''] = sites
  if (sites.length === 1 && ELSEWHERE.has(site) && isNavigation(head)) return undefined
  return refusal('wrong-site', 'Only the page itself may ask this.')
}

/** Whether it is the document that a window, and no frame in one, is to show. */
function isNavigation(head: RequestHead): boolean {
  if (head.target !== DOCUMENT && !isOpening(head)) return false
  return isOnly(head, 'sec-fetch-mode', 'navigate') && isOnly(head, 'sec-fetch-dest', 'document')
}

/** Whether a field is there once, with this value. */
function isOnly(head: RequestHead, name: string, value: string): boolean {
  const values = valuesOf(head, name)
  return values.length === 1 && values[0] === value
}
