/**
 * The hooks of ours that a runtime has, wherever they stand.
 */
import { mergeText, ownPart } from '../../setup/file-text.ts'
import { ownChanges } from '../../setup/own-lines.ts'
import type { DesiredFile } from '../../setup/target.ts'
import { readConfigText, readJsonConfig, textsOf } from '../config-text.ts'
import { callsOf, hookEntries, launchesOf, type HookFile } from '../hook-file.ts'
import { desiredFiles, type DoctorTarget } from '../target.ts'

/** In a file of code: a list of texts at the end of a line. */
const WORD_LIST = /= (\["(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*\])$/gm

/** Every file of hooks that is there. */
export function hookFiles(target: DoctorTarget): readonly HookFile[] {
  const { runtime, user, project } = target
  const desired = [user, project].flatMap((paths) =>
    desiredFiles(target, paths).map((file) => ({ file, scope: paths.scope })),
  )
  const found = desired.flatMap(({ file, scope }) => readHookFile(file, scope) ?? [])
  return [...found, ...(runtime.doctor.plugin?.hookFiles(target) ?? [])]
}

/** @returns undefined for a file that holds no hooks by its nature, or is not there */
function readHookFile(desired: DesiredFile, scope: HookFile['scope']): HookFile | undefined {
  if (desired.format === 'whole') return readPluginFile(desired, scope)
  if (desired.format !== 'json' || !desired.entries.some(({ kind }) => kind === 'hook')) return undefined
  const config = readJsonConfig(desired.path)
  if (!config.isThere) return undefined
  const entries = hookEntries(config.value['hooks'], desired.hookName)
  const merged = mergedText(config.text, desired)
  return {
    path: desired.path,
    scope,
    entries,
    launches: launchesOf(entries),
    calls: callsOf(entries),
    hasOwn: entries.some(({ role }) => role !== undefined),
    isCurrent: config.fault === undefined && merged === config.text,
    changes:
      config.fault === undefined && merged !== undefined ? changesTo(desired, config.text, merged) : [],
    fault: config.fault,
  }
}

/** A file of code that is ours as a whole. */
function readPluginFile(
  desired: DesiredFile & { readonly format: 'whole' },
  scope: HookFile['scope'],
): HookFile | undefined {
  const file = readConfigText(desired.path)
  if (file.kind === 'absent') return undefined
  const text = file.kind === 'text' ? file.text : ''
  // The lists of words that start us and speak to the daemon; the file is ours as long as it has one.
  const [launch = [], call = []] = [...text.matchAll(WORD_LIST)].map(([, words = '']) =>
    textsOf(JSON.parse(words)),
  )
  const [node, script] = launch
  return {
    path: desired.path,
    scope,
    entries: [],
    launches: node === undefined || script === undefined ? [] : [{ node, script }],
    calls: callOfWords(call),
    hasOwn: script !== undefined,
    isCurrent: text === desired.text,
    changes: [],
    fault: file.kind === 'refused' ? file.reason : undefined,
  }
}

/** What set-up would make of it; undefined where it refuses, for a reason which it gives itself. */
function mergedText(text: string, desired: DesiredFile): string | undefined {
  try {
    return mergeText(text, desired).text
  } catch {
    // Such as a key that stands twice.
    return undefined
  }
}

function changesTo(desired: DesiredFile, text: string, merged: string): HookFile['changes'] {
  const { path } = desired
  const file = { path, target: path, bytes: Buffer.from(text), mode: 0 }
  return ownChanges({ own: ownPart(desired), file, after: Buffer.from(merged) })
}

/** Of the words that post an event; none where they start Node. */
function callOfWords([curl, ...words]: readonly string[]): HookFile['calls'] {
  const socket = words[words.indexOf('--unix-socket') + 1]
  if (curl === undefined || socket === undefined || !words.includes('--unix-socket')) return []
  const key = words.find((word) => word.startsWith('@') && word !== '@-')
  return [{ curl, socket, keyHeader: key?.slice(1) }]
}
