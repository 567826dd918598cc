/**
 * The person's own editor, for what is longer than a line.
 *
 * @see SEAT-30
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAX_FIELD_LENGTH } from '../state/field.ts'

/** What is read of what an editor has left, in octets; more is no answer. */
const MAX_OCTETS = 4 * MAX_FIELD_LENGTH

/**
 * Runs it on the terminal and waits for its end.
 *
 * @param editor - as a shell reads it: `code --wait`
 * @returns the text as it was saved; as it was where the editor failed, or left no text that may be read
 */
export async function editText(editor: string, text: string): Promise<string> {
  // Nobody but this user may open a folder that is made so.
  const folder = mkdtempSync(join(tmpdir(), 'agentd-'))
  const file = join(folder, 'text.txt')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    const code = await run(editor, file)
    return code === 0 && statSync(file).size <= MAX_OCTETS ? readFileSync(file, 'utf8') : text
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The file is an argument, and no part of what the shell reads. */
function run(editor: string, file: string): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'agentd', file], { stdio: 'inherit' })
    child.once('error', () => resolve(null))
    child.once('exit', (code) => resolve(code))
  })
}
