/** The links of this daemon; the daemon fills it, and loads what is behind it only where a link is configured. */
import type { Sink } from '../../broker/stream/sink.ts'
import type {
  AcknowledgedRequest,
  ConditionRequest,
  DigestReply,
  EstateReply,
  FeedQuery,
  LinkPresenceRequest,
  LinkStateReply,
  RecordsHead,
  RecordsReply,
} from '../../protocol/http/link-exchange.ts'
import type { LinksReply } from '../../protocol/http/links-reply.ts'

/** A number that metrics tell of one link. */
export interface LinkMetric {
  readonly type: 'counter' | 'gauge'
  readonly name: `agentd_${string}`
  readonly help: string
  /** Label → value; both are ours, and hold nothing that would need an escape. */
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

/** Who is being fed: told when its reader has taken everything, and when that is gone. */
export interface FeedReader {
  drained(): void
  closed(): void
}

/** One link, as its bridge asks for it. */
export interface LinkPort {
  state(): LinkStateReply
  /** @throws AgentdError `field-invalid`, field `after`, for what is no event id; `busy` while it feeds another one */
  feed(query: FeedQuery, sink: Sink): FeedReader
  /** @param body - the batch, octet for octet @throws AgentdError for what is no batch at all */
  records(head: RecordsHead, body: string): Promise<RecordsReply>
  /** @throws AgentdError `sender-identity-mismatch` for who did not sign it */
  notePresence(request: LinkPresenceRequest): void
  /** @throws AgentdError when it is not the newest word of the one whose word it is */
  noteEstate(text: string): EstateReply
  /** Of what is retained at a place; undefined where nothing is known of it. */
  digest(eventId: string): DigestReply
  noteAcknowledged(request: AcknowledgedRequest): void
  noteCondition(request: ConditionRequest): void
}

/** All of them. */
export interface LinksPort {
  /** Whether there is one, looked for anew each time; without, none of their paths is there (FED-01). */
  readonly isLinked: boolean
  /** The link whose bridge has this token. */
  linkOf(token: string): LinkPort | undefined
  /** As it is just now; undefined where there is none. Links that were added or taken away count from here on. */
  list(): Promise<LinksReply | undefined>
  metrics(): Promise<readonly LinkMetric[]>
}

/** The links of a daemon that has none. */
export const UNLINKED: LinksPort = {
  isLinked: false,
  linkOf: () => undefined,
  list: () => Promise.resolve(undefined),
  metrics: () => Promise.resolve([]),
}
