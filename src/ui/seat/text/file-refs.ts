/**
 * Files that a message names, and where one of them stands in the person's editor.
 *
 * @see SEAT-29; docs/ui.md `GET /editor`
 */
import { memberOf, objectOf, textMember, textsOf, type JsonObject } from '../../../core/text/json-object.ts'
import { plainPath } from '../../../protocol/board/resource-path.ts'

/** What is said of a file. Whether an editor opened, the browser tells nobody. */
export const FILES = {
  heading: 'Files',
  copies: 'Copy',
  copied: 'Copied.',
  notCopied: 'Not copied: the browser forbids it.',
  handedOver: 'Your browser asks before it opens anything.',
} as const

/** Members of payloads that are lists of references. */
const REFERENCES = ['file_refs', 'pointer_refs', 'substrate_refs', 'refs'] as const

/** Files that are offered, of the thousands that a frame has room for; its JSON stands below and has them all. */
const MAX_FILES = 99

/** `src/auth.ts:12:3` → the file, and the line in it. */
const PLACE = /^(?<file>.*?)(?::(?<line>\d{1,7})(?::\d+)?)?$/s

const EDITOR_ADDRESS = /^(?:vscode|cursor):\/\/file\//

/** The frame or envelope in an item or a need, as the wire has either; empty where there is none. */
export function messageIn(said: JsonObject): JsonObject {
  return objectOf(memberOf(said, 'frame') ?? memberOf(said, 'envelope'))
}

/** What a frame or an envelope names, each once, as its sender wrote it; a lease is of what it is about. */
export function fileRefsOf(message: JsonObject): readonly string[] {
  const payload = objectOf(memberOf(message, 'payload'))
  const named = REFERENCES.flatMap((name) => textsOf(payload, name))
  return [...new Set(named.concat(textMember(payload, 'resource') ?? []))].slice(0, MAX_FILES)
}

/** The request that asks where a file stands. @param address - of the session that named it */
export function editorPath(named: string, address: string): string {
  const { file = '', line } = PLACE.exec(plainPath(named))?.groups ?? {}
  return `/editor?${new URLSearchParams({ address, file, ...(line !== undefined && { line }) }).toString()}`
}

/** The address that was answered; undefined for anything that opens something else than a file in an editor. */
export function editorHref(answer: JsonObject): string | undefined {
  const href = textMember(answer, 'href')
  return href !== undefined && EDITOR_ADDRESS.test(href) ? href : undefined
}
