/**
 * Kinds as a person says and writes them: `agent_lock_request` is `lock request`, and `lock_request` too.
 *
 * It loads no schema: the short way of the command line has it as well.
 */
import { didYouMean } from '../../core/text/edit-distance.ts'
import { quoted } from '../../core/text/quoted.ts'

/** The kind as a person says it: `agent_lock_request` → `lock request`. */
export function spokenKind(kind: string): string {
  return kind.replace(/^(?:agent|peer)_/, '').replaceAll('_', ' ')
}

/** The kind that is meant by its whole name or by the one that lines show, with any of space, `_` and `-` between words. */
export function findKind<Kind extends string>(text: string, kinds: readonly Kind[]): Kind | undefined {
  const said = saidOf(text)
  return kinds.find((kind) => kind === text || spokenKind(kind) === said)
}

/** Why a word is none, and which one may have been meant; a sentence. */
export function noKindWords(text: string, kinds: readonly string[]): string {
  const short = kinds.map((kind) => spokenKind(kind).replaceAll(' ', '_'))
  const near = didYouMean(saidOf(text).replaceAll(' ', '_'), short)
  const which = `${near === '' ? '; they' : ' They'} are ${short.join(', ')}`
  return `${quoted(text)} is no kind of frame${near}${which}.`
}

/** What tells kinds apart in a word of any spelling. */
function saidOf(text: string): string {
  return spokenKind(text.toLowerCase().replaceAll(/[ -]/g, '_'))
}
