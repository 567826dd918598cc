/**
 * A patch that a shell command applies by itself, with nothing but a `cd` before it.
 *
 * Codex takes such a command out of the shell's hands: there is an event before it and none behind it. Any other
 * line with a patch in it is run as it stands and has both.
 *
 * @see docs/runtimes.md §2.1
 */
import { posix } from 'node:path'
import type { HookEvent } from '../events/event.ts'
import { PATCH_BEGIN, patchedFiles } from './patch.ts'

const HEAD =
  /^\s*(?:cd\s+(?:'(?<single>[^']+)'|"(?<double>[^"$`\\]+)"|(?<plain>[\w./@+-]+))\s*&&\s*)?(?:apply_patch|applypatch)(?=[\s<'"])/

/** @returns paths behind the directory that `cd` went to; undefined for any other command */
export function shellPatch(command: string): readonly string[] | undefined {
  const head = command.includes(PATCH_BEGIN) ? HEAD.exec(command) : null
  if (head === null) return undefined
  const { single, double, plain } = head.groups ?? {}
  const directory = single ?? double ?? plain ?? ''
  return patchedFiles(command).map((path) => (path.startsWith('/') ? path : posix.join(directory, path)))
}

/** Whether nothing may be heard of this edit once it is done, so that it has to be announced before. */
export function isAnnouncedBefore({ runtime, tool }: Pick<HookEvent, 'runtime' | 'tool'>): boolean {
  const command = tool?.name === 'Bash' ? tool.input['command'] : undefined
  return (
    runtime.hidesShellPatches === true && typeof command === 'string' && shellPatch(command) !== undefined
  )
}
