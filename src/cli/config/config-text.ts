/**
 * The text of the configuration with one value changed: everything else of it stays as it was written, order, blanks and all.
 */
import { isJsonObject } from '../../core/text/json-object.ts'

/** What is to stand where; undefined takes it away. */
export interface TextChange {
  readonly path: readonly string[]
  readonly value: unknown
}

/**
 * Sets or takes away one value. What leads to it is made, and is taken away with the last of its members.
 *
 * @param text - a JSON object
 * @param file - what it is called in a refusal
 * @throws HostRefusal for a member that stands in it twice
 */
export async function changeText(text: string, file: string, { path, value }: TextChange): Promise<string> {
  const { JsonDraft } = await import('../../runtimes/setup/files/json-draft.ts')
  const draft = new JsonDraft(text, file)
  const above = path.slice(0, -1)
  const [key] = path.slice(-1)
  if (value !== undefined) {
    if (draft.find(path) === undefined) draft.add(above, { ...(key !== undefined && { key }), value })
    else draft.replace(path, value)
    return draft.text
  }
  for (let depth = path.length; depth > 0; depth -= 1) {
    const place = path.slice(0, depth)
    const isWanted = depth < path.length && !isEmptyAt(draft.text, place)
    if (isWanted) break
    draft.remove(place)
  }
  return draft.text
}

function isEmptyAt(text: string, path: readonly string[]): boolean {
  const found = valueAt(JSON.parse(text), path)
  return isJsonObject(found) && Object.keys(found).length === 0
}

/** What stands at a place of a file; undefined where nothing does. */
export function valueAt(content: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    content,
  )
}
