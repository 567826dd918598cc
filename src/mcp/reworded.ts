/**
 * What a host is told of a request that is not as the protocol has it: which member, in a sentence. The SDK hands on the
 * report of the library it looks at messages with, which is for nobody to read (AC-159).
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { wordIssue } from '../core/issue-words.ts'
import { isJsonObject, listMember, textMember, tryParseJson } from '../core/text/json-object.ts'

/** `Invalid tools/call request: […]` */
const REPORT = /^Invalid (?<method>\S{1,64}) request: (?<issues>\[.*\])$/s

/** The message, or, for an error with such a report in it, the same with a sentence in its place. */
export function reworded(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message
  const { method, issues } = REPORT.exec(message.error.message)?.groups ?? {}
  const [first] = issues === undefined ? [] : listOf(tryParseJson(issues))
  if (method === undefined || !isJsonObject(first)) return message
  const field = listMember(first, 'path').join('.')
  const rule = wordIssue({ code: textMember(first, 'code'), expected: first['expected'] })
  const sentence = `A request "${method}" is not as the protocol has it: "${field}" ${rule}.`
  return { ...message, error: { ...message.error, message: sentence } }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
