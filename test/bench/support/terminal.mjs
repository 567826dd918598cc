/**
 * A program in a terminal of its own, as `script` makes one, and when it has said something there.
 */
import { hasCommand } from './machine.mjs'
import { spawnServer } from './processes.mjs'
import { within } from './waiting.mjs'

/** Said by the shell in the terminal before the program is started, and after it has ended. */
const BEGINS = 'bench-begins'
export const ENDS = 'bench-ends'

/** How long a program may take to say what is waited for, in milliseconds. */
const SAY_MS = 20_000

/** Whether terminals can be had; the `script` of other systems takes other options. */
export const HAS_TERMINALS = process.platform === 'linux' && hasCommand('script') && hasCommand('stty')

/**
 * Starts a program, waits until it has said all of the words, one behind the other, and ends it.
 *
 * @param options.leave - the key that ends the program; absent, it ends by itself
 * @param words - {@link ENDS} is said when the program has ended
 * @returns milliseconds to each of them, from the moment before the program is started
 * @throws Error when it does not say one
 */
export async function timeInTerminal({ argv, env, leave = '' }, words) {
  const line = `stty rows 30 cols 100; echo ${BEGINS}; ${argv.map(quote).join(' ')}; echo ${ENDS}`
  const terminal = spawnServer(['script', '-qec', line, '/dev/null'], {
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  try {
    const said = whenSaid(terminal, [BEGINS, ...words])
    const [begunMs, ...saidMs] = await within(
      said,
      SAY_MS,
      `${argv.join(' ')} did not say ${words.join(', ')}`,
    )
    // Asked to end, `script` itself would take two seconds.
    terminal.stdin.write(leave)
    await within(terminal.exited, SAY_MS, `${argv.join(' ')} did not end`)
    return saidMs.map((ms) => ms - begunMs)
  } finally {
    await terminal.stop()
  }
}

function whenSaid({ stdout }, words) {
  return new Promise((resolve) => {
    const times = []
    let text = ''
    stdout.on('data', (chunk) => {
      text += chunk
      while (times.length < words.length) {
        const word = words[times.length]
        const at = text.indexOf(word)
        if (at === -1) return
        text = text.slice(at + word.length)
        times.push(performance.now())
      }
      resolve(times)
    })
  })
}

function quote(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
