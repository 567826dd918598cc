/**
 * The log of a daemon that systemd has started: `journalctl` asked for it, and its lines taken as those of a file.
 *
 * @see journalctl(1)
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { LineSplitter } from '../../core/text/lines.ts'
import { HostRefusal } from '../../host/files/refusal.ts'
import { MAX_LOG_LINE_BYTES, type LogWish } from './log-file.ts'

/** What it says on stderr when it fails; the rest is not kept. */
const MAX_COMPLAINT_CHARS = 500

/** What `journalctl` is called with. @param sinceMs - milliseconds since 1970 */
export function journalArguments(
  unit: string,
  { lines, follows }: Pick<LogWish, 'lines' | 'follows'>,
  sinceMs: number | undefined,
): readonly string[] {
  return [
    '--user',
    `--unit=${unit}`,
    '--output=cat',
    '--no-pager',
    '--quiet',
    `--lines=${lines ?? 'all'}`,
    ...(sinceMs === undefined ? [] : [`--since=@${Math.floor(sinceMs / 1_000)}`]),
    ...(follows ? ['--follow'] : []),
  ]
}

/**
 * Its lines, as {@link logLines} gives those of a file.
 *
 * @throws HostRefusal with its own words where it is not there or fails
 */
export async function* journalLines(
  args: readonly string[],
  { signal }: Pick<LogWish, 'signal'>,
): AsyncGenerator<Buffer, void, undefined> {
  const child = spawn('journalctl', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const kill = (): void => void child.kill()
  signal.addEventListener('abort', kill, { once: true })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, MAX_COMPLAINT_CHARS)
  })
  const splitter = new LineSplitter(MAX_LOG_LINE_BYTES, 'cut')
  // As they are wanted: who reads slowly slows it down.
  try {
    for await (const chunk of child.stdout)
      for (const { line } of splitter.feed(Buffer.from(chunk))) yield line
    const last = splitter.end()
    if (last !== undefined) yield last.line
    const code: unknown = (await ended)[0]
    if (code !== 0 && !signal.aborted) throw failed(complaint.trim() || `it ended with ${String(code)}`)
  } catch (error) {
    if (error instanceof HostRefusal || !(error instanceof Error)) throw error
    throw failed(error.message)
  } finally {
    signal.removeEventListener('abort', kill)
    child.kill()
  }
}

function failed(why: string): HostRefusal {
  return new HostRefusal(`The journal cannot be read: journalctl says "${why.split('\n')[0] ?? ''}".`)
}
