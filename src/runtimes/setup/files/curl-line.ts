/**
 * The line of a hook that tells the daemon itself, by `curl`: without Node, and without the package.
 *
 * One shell around one program. Whatever happens, it reads its input, says nothing and ends with 0: no daemon, one that
 * hangs, a refusal, `curl` or the key gone, no room left. A daemon that has not answered within a second is left alone for
 * a while, by a mark beside the socket that says until when.
 *
 * @see docs/runtimes.md §10 rules 10, 12, 13; OP-02, OP-04, OP-29
 */
import { shellWord } from '../../../core/text/shell-word.ts'
import { HANG_SUFFIX } from '../../../host/socket/hang-mark.ts'

/** How a line reaches the daemon. All paths are absolute. */
export interface SocketCall {
  readonly curl: string
  readonly socket: string
  /** The file that says the person's key as a header; undefined where none is asked for. */
  readonly keyHeader: string | undefined
}

/** What a line says of itself. */
export interface CurlLine extends SocketCall {
  readonly runtime: string
  readonly role: 'hook' | 'wait'
}

/** The variables by which a runtime tells its hooks about their session. */
export interface WaitVariables {
  readonly session: string
  /** It is `0` where no person sits at the session. */
  readonly attended: string
}

/** In seconds: what a hook waits for an answer. A daemon that lives gives one within 300 ms (OP-01). */
export const ANSWER_SECONDS = 1

/** In seconds: how long a daemon that has not answered is left alone (OP-29). */
export const LEFT_ALONE_SECONDS = 30

/** In seconds: how long an idle session is waited for; as long as the runtime lets the hook live. */
export const WAIT_SECONDS = 86_400

/** How often a waiting hook asks again for a daemon that has gone, and how many seconds apart: through any restart. */
const WAIT_TRIES = 20
const WAIT_AGAIN_SECONDS = 3

/** Where the route of hooks is; the name of the host means nothing on a socket. */
export const HOOKS_URL = 'http://agentd/v1/hooks/'

/** In the name of the shell, which ends the words that are ours. */
const NAMES = { hook: 'agentd-hook', wait: 'agentd-wait' } as const

/** The exit code of `curl` whose time is up. */
export const TIMED_OUT = 28

/** First `-q`: neither `~/.curlrc` nor a proxy changes what is sent, nor where. Without `expect` nobody is asked first. */
const ALWAYS = ['-q', '-s', '-f', '--noproxy', '*']
const POSTED = ['-H', 'content-type: application/json', '-H', 'expect:', '--data-binary', '@-']

/** What differs from one machine to the next, in the words of the shell. */
const PLACE = '--unix-socket "$3" ${4:+-H "@$4"}'

/** A word as `shellWord` writes it. */
const WORD = String.raw`(?:[\w./+:@%=-]+|'(?:[^']|'\\'')*')`

/** Of every version: what stands between the quotes may change, and the words behind them may become more. */
const CURL_LINE = new RegExp(
  `^exec /bin/sh -c '[^']*' (${NAMES.hook}|${NAMES.wait}) ([a-z-]+) (${WORD}) (${WORD})(?: (${WORD}))?(?: ${WORD})*$`,
)

/** Words for `curl` that post what stands on standard input to the route of a runtime, as a line does it. */
export function postWords({ socket, keyHeader }: SocketCall, runtime: string): readonly string[] {
  const key = keyHeader === undefined ? [] : ['-H', `@${keyHeader}`]
  const bounds = ['--max-time', String(ANSWER_SECONDS), '--unix-socket', socket]
  return [...ALWAYS, ...bounds, ...key, ...POSTED, HOOKS_URL + runtime]
}

/**
 * The line of an event. `$1` to `$4` are the runtime, `curl`, the socket and the file of the key.
 *
 * Inside the quotes stands no quote, no backslash and no `!`, so that every shell hands it over as it is.
 */
export function curlLine(call: SocketCall, runtime: string): string {
  const ask = `"$2" ${quoted(ALWAYS)} --max-time ${ANSWER_SECONDS} ${PLACE} ${quoted(POSTED)} "${HOOKS_URL}$1"`
  return lineOf('hook', { ...call, runtime }, [
    'exec 2>/dev/null',
    `h=$3${HANG_SUFFIX}`,
    // In force, and not from a clock that was set back.
    `[ -f "$h" ] && n=$(date +%s) && read -r t <"$h" && [ "$n" -lt "$t" ] && [ "$t" -le $((n+${LEFT_ALONE_SECONDS})) ]` +
      // All of the answer or nothing: what was cut off is no JSON.
      ` || { a=$(${ask}) && printf %s "$a" && exit 0` +
      `; [ $? = ${TIMED_OUT} ] && echo $(($(date +%s)+${LEFT_ALONE_SECONDS})) >"$h"; }`,
    'cat >/dev/null',
    'exit 0',
  ])
}

/**
 * The line that waits beside an idle session: what it is answered goes to standard error, with exit code 2. A daemon that
 * has gone is asked again until it is back. An answer that nothing is left to wait for is doubted once: one that ends says
 * so as well, and one that does not know the session yet.
 */
export function curlWaitLine(
  call: SocketCall,
  runtime: string,
  { session, attended }: WaitVariables,
): string {
  const about = `-G --data-urlencode "session=$${session}" "${HOOKS_URL}$1/wait"`
  const ask = `"$2" ${quoted(ALWAYS)} --max-time ${WAIT_SECONDS} ${PLACE} ${about}`
  return lineOf('wait', { ...call, runtime }, [
    'cat >/dev/null',
    `[ "$${attended}" = 0 ] || [ -z "$${session}" ] && exit 0`,
    'i=0',
    'e=0',
    `while [ -x "$2" ] && [ $i -lt ${WAIT_TRIES} ]` +
      `; do if m=$(${ask} 2>/dev/null)` +
      '; then [ -n "$m" ] && printf %s "$m" >&2 && exit 2; e=$((e+1)); [ $e -gt 1 ] && exit 0; fi' +
      `; i=$((i+1)); sleep ${WAIT_AGAIN_SECONDS}; done`,
    'exit 0',
  ])
}

/** What a line of ours says; undefined for everybody else's, and for one that somebody has added to. */
export function readCurlLine(line: string): CurlLine | undefined {
  const [, name, runtime, curl, socket, keyHeader] = CURL_LINE.exec(line) ?? []
  if (runtime === undefined || curl === undefined || socket === undefined) return undefined
  return {
    role: name === NAMES.wait ? 'wait' : 'hook',
    runtime,
    curl: plainWord(curl),
    socket: plainWord(socket),
    keyHeader: keyHeader === undefined ? undefined : plainWord(keyHeader),
  }
}

/** `exec`, so that the shell which a runtime has chosen does not stand beside it. */
function lineOf(
  role: CurlLine['role'],
  { runtime, curl, socket, keyHeader }: SocketCall & { readonly runtime: string },
  commands: readonly string[],
): string {
  const words = [NAMES[role], runtime, curl, socket, ...(keyHeader === undefined ? [] : [keyHeader])]
  return `exec /bin/sh -c '${commands.join('; ')}' ${words.map(shellWord).join(' ')}`
}

function quoted(words: readonly string[]): string {
  return words.map((word) => (/^[\w@:-]+$/.test(word) ? word : `"${word}"`)).join(' ')
}

/** The inverse of `shellWord`. */
function plainWord(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word
}
