/**
 * An agent runtime as its hooks know it: what it says to them, what it lets them do, and how an idle session of it is
 * woken.
 *
 * @see docs/runtimes.md §§0–5
 */
import type { Environment } from '../../host/config/paths.ts'
import type { Forebear } from '../../host/process/ancestry.ts'
import type { ActivityState, WaitingReason } from '../../protocol/http/session-replies.ts'
import type { EventMembers } from './members.ts'

/** What happened. */
export type EventName =
  | 'session-start'
  | 'prompt'
  | 'before-tool'
  | 'after-tool'
  | 'tool-failed'
  | 'turn-end'
  | 'session-end'
  | 'compacting'
  | 'notice'

/** A runtime's own name of an event → what happened. No two runtimes mean different things by one name. */
export type EventNames = Readonly<Record<string, EventName>>

/** What a session does, as its runtime tells it (docs/http.md §4, W-4). */
export interface Activity {
  readonly state: ActivityState
  readonly reason?: WaitingReason | undefined
  /** Of the runtime's or the model's own, within `MAX_ACTIVITY_OCTETS`. */
  readonly text?: string | undefined
}

/** One JSON object on stdout. */
export type HookOutput = Readonly<Record<string, unknown>>

/** The event that is answered, as far as answers depend on it. */
export interface AnsweredEvent {
  readonly name: EventName
  /** The runtime's own name for it, which some answers have to repeat. */
  readonly wireName: string
}

/** How a runtime wants to be answered; undefined where it has no words for that. */
export interface OutputFormat {
  /** Something to be shown to the model. */
  readonly context: (text: string, event: AnsweredEvent) => HookOutput | undefined
  /** The tool must not run. */
  readonly denial: (reason: string, event: AnsweredEvent) => HookOutput | undefined
  /** The turn goes on. */
  readonly continuation: (reason: string, event: AnsweredEvent) => HookOutput | undefined
}

/** Ways to an idle session, by names of its runtime's own. They may be secrets: 0600, and never logged. */
export type WakeChannels = Readonly<Record<string, string | undefined>>

/** Where a hook looks for the ways to its session. */
export interface WakeClues {
  /** Its variables. */
  readonly environment: Pick<Environment, 'env'>
  /** Where the runtime itself listens, as its event says. */
  readonly serverUrl: string | undefined
  /** The process of the runtime; undefined where it is not looked for. */
  readonly forebear: Forebear | undefined
}

/** One try to wake a session. */
export interface WakeCall {
  readonly environment: Environment
  readonly channels: WakeChannels
  /** The runtime's own id of it. */
  readonly sessionId: string
  readonly notice: string
}

/** Gets a notice to an idle session, bounded in time; tells whether it was taken, not whether it was read. */
export type Waker = (call: WakeCall) => Promise<boolean>

/** How an idle session of a runtime is woken. Never by typing into a terminal. */
export interface WakeWay {
  /** Its name on the roster. */
  readonly driver: string
  /** The channel without which there is no way. */
  readonly requires: string
  /** Whether the runtime looks at what it was given only every now and then. */
  readonly isQueued?: boolean
  /** Variables that {@link find} looks at; what runs within the runtime tells them. */
  readonly variables: readonly string[]
  readonly find: (clues: WakeClues) => WakeChannels
  /** Only a process that waits needs it, and most hooks do not. */
  readonly load: () => Promise<{ readonly wake: Waker }>
}

/** A runtime as its hooks know it. */
export interface HookRuntime {
  /** Its name on the command line, in the files of hooks and of its folder here. */
  readonly id: string
  /** Tool class and instrument of its sessions. */
  readonly tool: string
  /** Programs that are an agent each, and no editor that may hold one: what tells its process from others. */
  readonly agentPrograms: readonly string[]
  readonly eventNames: EventNames
  /** Whether only this runtime sends such a payload, whoever's hook it was set up as. */
  readonly isFrom?: (payload: EventMembers) => boolean
  /** Of a runtime that stamps every payload with the time: whether one of somebody who does not may be its own. */
  readonly isStamped?: (payload: EventMembers) => boolean
  /**
   * What a payload says of the session besides what happened: that it waits at its own prompt, or does so no longer.
   * Absent, the runtime does not tell.
   */
  readonly activityOf?: (payload: EventMembers) => Activity | undefined
  readonly output: OutputFormat
  /** Events whose answer the runtime shows to the model. What is shown nowhere must not be called seen. */
  readonly shows: readonly EventName[]
  /** Names of events whose answer it does not read, though {@link shows} names what happened. */
  readonly mute?: readonly string[]
  /**
   * Names of events behind which the model is asked with all that its last step was told. Where it has none, only a prompt
   * and the end of a turn are known to be such: of several tools called at once, one that has run proves nothing of the others.
   */
  readonly stepEnds?: readonly string[]
  /** Whether it cannot be told not to run a tool. */
  readonly cannotDeny?: boolean
  /** One session per process: another id under the same process is the same agent carrying on. */
  readonly isOnePerProcess?: boolean
  /** Whether nothing is heard behind a patch that a shell command applies by itself. */
  readonly hidesShellPatches?: boolean
  /** Whether the directory of its events is the one that the last command left the shell in. */
  readonly followsShell?: boolean
  /** Whether what makes a turn go on enters as the user's: it then holds no word of a peer (HD-18). */
  readonly goesOnAsUser?: boolean
  /** What makes the end of a turn go on, as the name of a driver. */
  readonly atTurnEnd: string
  /** The driver with nobody at the keyboard, where that is another than for an idle session. */
  readonly headless?: string
  readonly wake?: WakeWay
  /** The variable that names the session to the programs it runs. */
  readonly sessionVariable?: string
  /** The variable that names the runtime's process to its hooks. */
  readonly pidVariable?: string
  /** The variable that is `0` where no person sits at the session. */
  readonly attendedVariable?: string
}
