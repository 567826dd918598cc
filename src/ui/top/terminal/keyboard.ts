/**
 * The keys of a terminal, by the names of the seat's table.
 */
import { createInterface, emitKeypressEvents, type Key } from 'node:readline'
import { PassThrough } from 'node:stream'
import { isOneCharacter, type KeyPress } from '../state/key-press.ts'

/** How long a lone Escape waits for what would make it a part of another key, in milliseconds. */
const ESCAPE_MS = 50

/** Names that Node gives → those of the seat. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['up', 'ArrowUp'],
  ['down', 'ArrowDown'],
  ['left', 'ArrowLeft'],
  ['right', 'ArrowRight'],
  ['home', 'Home'],
  ['end', 'End'],
  ['pageup', 'PageUp'],
  ['pagedown', 'PageDown'],
  ['delete', 'Delete'],
  ['backspace', 'Backspace'],
  ['escape', 'Escape'],
  ['return', 'Enter'],
  ['enter', 'Enter'],
  ['tab', 'Tab'],
  ['space', ' '],
])

/** The marks around what is pasted, by their names in Node. */
const PASTE_STARTS = 'paste-start'
const PASTE_ENDS = 'paste-end'

/**
 * Listens to a terminal.
 *
 * @returns stops listening
 */
export function listenToKeys(input: NodeJS.ReadableStream, onPress: (press: KeyPress) => void): () => void {
  let isPasted = false
  const onKey = (text: string | undefined, key: Key): void => {
    if (key.name === PASTE_STARTS || key.name === PASTE_ENDS) isPasted = key.name === PASTE_STARTS
    else onPress(readPress(text, key, isPasted))
  }
  // Only its patience is wanted: half a second, which is the default, is long for a key that goes back.
  const patience = createInterface({ input: new PassThrough(), escapeCodeTimeout: ESCAPE_MS })
  emitKeypressEvents(input, patience)
  input.on('keypress', onKey)
  input.resume()
  return () => {
    input.off('keypress', onKey)
    input.pause()
    patience.close()
  }
}

/** @param text - what the key writes; undefined for one that writes nothing */
export function readPress(text: string | undefined, key: Key, isPasted: boolean): KeyPress {
  const { name = '', ctrl = false, meta = false } = key
  const isOfText = text !== undefined && !ctrl && !meta && isOneCharacter(text) && text > ' ' && text !== DEL
  // A line feed alone is what some terminals send for Ctrl+J and Shift+Enter: a line break, and no sending.
  const isLineFeed = name === 'enter' && !isPasted
  return {
    key: isOfText ? text : (NAMES.get(name) ?? (name === '' ? (text ?? '') : name)),
    isCtrl: ctrl,
    isAlt: isLineFeed || (meta && name !== 'escape'),
    isPasted,
  }
}

const DEL = '\u007f'
