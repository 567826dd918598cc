/**
 * Running a line as a runtime runs it: by a shell, with the payload on standard input.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { within } from '../../support/within.ts'

/** Shells that a runtime takes, or a person has chosen; those that are not installed are left out. */
export const SHELLS = [
  '/bin/sh',
  '/bin/bash',
  '/bin/dash',
  '/usr/bin/zsh',
  '/usr/bin/fish',
  '/usr/bin/tcsh',
].filter(existsSync)

/** More than a pipe holds, so that a line which does not read breaks it. */
export const PAYLOAD = JSON.stringify({
  hook_event_name: 'PostToolUse',
  tool_response: 'x'.repeat(1_000_000),
})

/** How a line ended. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** What writing to its input came to; undefined where all was taken. */
  readonly fault: string | undefined
}

/** What is asked of a line that has nothing to say, or nobody to say it to. */
export const SILENCE: Ended = { status: 0, stdout: '', stderr: '', fault: undefined }

/** What may be different from the usual. */
export interface LineOptions {
  readonly shell?: string
  readonly payload?: string
  readonly env?: NodeJS.ProcessEnv
}

/** As a runtime does it. Ends when nobody holds standard output or error any more. */
export function runLine(line: string, options: LineOptions = {}): Promise<Ended> {
  const { shell = '/bin/sh', payload = PAYLOAD, env = process.env } = options
  const child = spawn(shell, ['-c', line], { stdio: 'pipe', env })
  const said = { stdout: '', stderr: '' }
  let fault: string | undefined
  child.stdout.on('data', (chunk) => (said.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (said.stderr += String(chunk)))
  child.stdin.on('error', (error) => (fault = error.message))
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (status) => resolve({ status, ...said, fault }))
  })
  child.stdin.end(payload)
  return within(ended, `the end of ${line}`, 15_000)
}
