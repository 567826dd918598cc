/**
 * What stands on the screen before anything is known, and who gives the terminal back if nothing ever is.
 *
 * The short way paints it before the rest of the seat is loaded.
 *
 * @see SEAT-38, SEAT-40
 */
import { PLAIN, type Palette } from '../../../core/display/palette.ts'
import { STATES } from '../../seat/words.ts'
import { Terminal } from './terminal.ts'

/** Takes the terminal and says that the daemon is looked for, in words that are shorter than any terminal we draw on. */
export function paintFirst(
  output: NodeJS.WriteStream,
  input: NodeJS.ReadStream,
  paint: Palette = PLAIN,
): Terminal {
  const terminal = new Terminal(output, input)
  terminal.take()
  terminal.paint([` ${paint.bold('agentd')}  ${STATES.connecting.says}`], undefined)
  return terminal
}

/** Ctrl+C, while keys are octets. */
const INTERRUPT = '\u0003'

/**
 * Until the seat is there to see to it, the person and the system can end it, and the terminal is given back.
 *
 * @param end - ends the process
 * @returns to be called when the seat is there
 */
export function guardTerminal(terminal: Terminal, input: NodeJS.ReadStream, end: () => void): () => void {
  const onData = (chunk: Buffer): void => {
    if (chunk.includes(INTERRUPT)) onSignal()
  }
  const onSignal = (): void => {
    terminal.giveBack()
    end()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  input.on('data', onData)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
    input.off('data', onData)
    input.pause()
  }
}
