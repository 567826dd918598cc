/**
 * Who answers each path of the route table.
 */
import type { RouteName } from '../protocol/routes/routes.ts'
import { getHealth, getMetrics, getOpenApi, getSchema, getServerCard, stopDaemon } from './handlers/daemon.ts'
import { getEnvelope, getEnvelopeReceipts, submitEnvelope } from './handlers/envelopes.ts'
import { getEvent, getEvents } from './handlers/events.ts'
import { getFrameText, getHistory, getReceipts, submitFrame } from './handlers/frames.ts'
import { forgetFrames } from './handlers/retained/forgetting.ts'
import { answerHook, getHook, waitHook } from './handlers/hooks.ts'
import { drainInbox, handleSeen, waitInbox } from './handlers/inbox.ts'
import {
  getLinkDigest,
  getLinkState,
  noteAcknowledged,
  noteCondition,
  noteEstate,
  notePresence,
  openLinkFeed,
  submitRecords,
} from './handlers/link/bridge.ts'
import { getLinks } from './handlers/link/links.ts'
import { submitLog } from './handlers/log.ts'
import { openMcp } from './handlers/mcp.ts'
import { getRoster, getSession } from './handlers/roster.ts'
import { closeSession, endSession, getSelf, openSession, setActivity } from './handlers/sessions.ts'
import { getNeeds, getSummary } from './handlers/needs.ts'
import { openStream } from './handlers/stream.ts'
import { getThread, getThreads } from './handlers/threads.ts'
import { handleVerb } from './handlers/verbs.ts'
import { openWatch } from './handlers/watch.ts'
import type { Handler } from './request/context.ts'

/** Name of a route → its handler. */
export const HANDLERS: Readonly<Record<RouteName, Handler>> = {
  openSession,
  getSelf,
  closeSession,
  setActivity,
  endSession,
  getRoster,
  getSession,
  openStream,
  openWatch,
  getEvents,
  getEvent,
  submitFrame,
  getHistory,
  forgetFrames,
  getReceipts,
  getFrameText,
  drainInbox,
  waitInbox,
  markSeen: handleSeen,
  submitEnvelope,
  getEnvelope,
  getEnvelopeReceipts,
  getThreads,
  getThread,
  submitLog,
  answerHook,
  getHook,
  waitHook,
  callVerb: handleVerb,
  openMcp,
  getNeeds,
  getSummary,
  getLinks,
  getLinkState,
  openLinkFeed,
  submitRecords,
  notePresence,
  noteEstate,
  getLinkDigest,
  noteAcknowledged,
  noteCondition,
  getHealth,
  getServerCard,
  stopDaemon,
  getMetrics,
  getSchema,
  getOpenApi,
}
