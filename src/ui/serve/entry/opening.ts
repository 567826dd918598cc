/**
 * Signing in by a file: the file that a browser is opened on posts the key in it, and what comes back hands the token to the
 * tab and goes on to the page. So the key stands in no address, which browsers write down, and in no argument of a program.
 *
 * @see SEAT-15; docs/ui.md "What the listener allows"; docs/decisions/027-key-in-no-address.md
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FIRST_PART, KEPT } from '../../seat/tab-memory.ts'
import { policyOf, type SeatAnswer } from './answer.ts'
import { readOctets, type JsonBody } from './body.ts'
import { LOGIN } from './guard.ts'
import { refusal, type SeatRefusal } from './refusal.ts'

/** Of a form: a key has 43 octets. */
const MAX_FORM_OCTETS = 1_024

const HTML = 'text/html; charset=utf-8'
const HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><title>agentd</title>'
const WITHOUT_SCRIPT = 'The page needs JavaScript. In a terminal the same is "agentd top".'

/** Before the file has been read to its end: so it stays out of what "back" leads to. */
const POSTS = 'document.forms[0].submit()'

/** As after a reload: the page finds both where it has put them itself before. */
const HANDS_OVER = `const{token,...facts}=JSON.parse(document.querySelector("meta[name=agentd]").content)
self.name=token.slice(0,${FIRST_PART})
sessionStorage.setItem("${KEPT}",JSON.stringify({...facts,token:token.slice(${FIRST_PART})}))
location.replace("/")`

/** @param authority - `127.0.0.1:<port>`. @returns the text of the file */
export function openingFile(authority: string, key: string): string {
  const action = `http://${authority}${LOGIN}`
  const policy = `default-src 'none'; script-src '${digestOf(POSTS)}'; form-action ${action}; base-uri 'none'`
  return [
    HEAD,
    `<meta http-equiv="content-security-policy" content="${policy}"><meta name="referrer" content="no-referrer">`,
    `<form method="post" action="${action}" autocomplete="off"><input type="hidden" name="key" value="${key}">`,
    `<button>Open your page</button></form><script>${POSTS}</script>\n`,
  ].join('')
}

/** Reads the form. @returns a refusal for anything but one key */
export async function readForm(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<JsonBody | SeatRefusal> {
  const bytes = await readOctets(request, response, MAX_FORM_OCTETS)
  if (!Buffer.isBuffer(bytes)) return bytes
  const fields = [...new URLSearchParams(bytes.toString('latin1'))]
  const [[name, key] = []] = fields
  if (fields.length !== 1 || name !== 'key')
    return refusal('field-invalid', 'The form has "key" and no more.')
  return { kind: 'body', bytes, value: { key } }
}

/** What hands a token to the tab. @param said - what a page is told that signs in */
export function enteredAnswer(said: object): SeatAnswer {
  const content = escapeText(JSON.stringify(said))
  const text = `${HEAD}<meta name="agentd" content="${content}"><script>${HANDS_OVER}</script><noscript>${WITHOUT_SCRIPT}</noscript>`
  return documentOf(200, text, { 'content-security-policy': policyOf(`'${digestOf(HANDS_OVER)}'`) })
}

/** Why there is none, for who reads it in a window. */
export function notEnteredAnswer({ status, body }: SeatRefusal): SeatAnswer {
  return documentOf(status, `${HEAD}<p>${escapeText(String(body['message']))}`)
}

function documentOf(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): SeatAnswer {
  return { status, mediaType: HTML, bytes: Buffer.from(text), headers }
}

/** As a policy names a script that stands in a document. */
function digestOf(script: string): string {
  return `sha256-${createHash('sha256').update(script).digest('base64')}`
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
