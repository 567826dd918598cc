/**
 * Topics about how it works: delivery, locks, links, privacy.
 */
import type { Topic } from './topic.ts'

export const DELIVERY: Topic = {
  name: 'delivery',
  says: 'what the counts and the receipts mean',
  blocks: [
    {
      text: 'An answer says how many have got a frame at once (recipient_count: streams it was written to), for how many it waits (queued_count: mailboxes of sessions that live turn by turn), and whether nobody is there. It does not say that anybody read it: only a receiver can.',
    },
    {
      rows: [
        ['emitted', 'written to a stream'],
        ['queued', 'waits in a mailbox'],
        ['handed', 'given to what shows it, and not known to be shown'],
        ['seen', 'the receiver says it was shown'],
        ['expired', 'its time was over before it was shown'],
        ['dropped', 'shown to nobody; a newer one stands for it, or there was too much'],
      ],
    },
    {
      text: 'What waits survives the daemon. It is handed over once, to that session or to the one that carries it on.',
    },
    {
      example: [
        'agentd advise "rewriting the token refresh"',
        'agentd receipts --wait seen',
        `agentd send --kind agent_advisory '{"advisory_text":"hello"}' --wait seen`,
      ],
    },
  ],
}

export const LEASES: Topic = {
  name: 'leases',
  says: 'announcing that you are at something',
  blocks: [
    {
      text: '"agentd lock" announces that you are at work on something and says who announced it already, for as long as its lease lasts (5m unless you say --ttl, an hour at the most). "agentd extend" makes it longer, "agentd unlock" ends it; with a command behind -- it ends with that.',
    },
    {
      text: 'Nobody is forced. The daemon keeps no table of locks and refuses nothing because of one: two sessions may announce the same, and each is shown the other. A hook shows an agent who is at a file before it edits it; with hooks.conflict set to ask-once or deny it is stopped there. What has to exclude others is for flock(1).',
    },
    { text: '"agentd locks" shows who holds which lease, "agentd board" who is at which files too.' },
    {
      example: [
        'agentd lock src/auth.ts --ttl 10m --intent "moving it"',
        'agentd lock package.json -- npm update',
      ],
    },
  ],
}

export const LINKS: Topic = {
  name: 'links',
  says: 'several machines, organisations, accords',
  blocks: [
    {
      text: 'A link carries what is said on one machine to your others, over a hub that one of them runs (a nats-server). Without a link nothing leaves a machine, and of a new one nothing leaves until you let it.',
    },
    {
      rows: [
        ['agentd link hub init', 'make a hub on a machine that the others reach'],
        ['agentd link hub invite NODE', 'let a machine in; prints what it joins with'],
        ['agentd link add NAME FILE', 'join, on that machine'],
        ['agentd link allow NAME', 'what may leave: --kinds, --from, --presence, --bus'],
        ['agentd link status', 'how it is, and how far behind'],
        ['agentd link hub revoke NODE', 'a machine that is lost'],
      ],
    },
    {
      text: 'An organisation (agentd org) is people under one signed charter, an accord (agentd accord) what two organisations grant each other. With --seal what passes between your own machines is encrypted for a hub of somebody else. All of it: docs/link.md and docs/organisations.md.',
    },
  ],
}

export const PRIVACY: Topic = {
  name: 'privacy',
  says: 'what is kept, who may read it, what leaves',
  blocks: [
    {
      text: 'Messages are kept on your disk for a week, or until the store is full, readable by you and by root (mode 0600). agentd listens on a socket of yours and never on the network. It has no telemetry: nobody is told that you use it, nor how.',
    },
    {
      rows: [
        ['who may ask', 'programs that run as you; with "auth": "session" those with a key or token'],
        ['what leaves', 'over a link of yours what you allow, and nothing else'],
        ['what is shown', "to an agent as a peer's words, marked and without control characters"],
        ['what you can do', 'agentd history --forget, --dry-run first; agentd uninstall'],
      ],
    },
    {
      text: 'A secret in a diagnosis that a command composes is blacked out before it is sent. Forgetting deletes from the store; it does not promise erasure from the drive.',
    },
    { example: ['agentd status', 'agentd history --forget --before 30d --dry-run'] },
  ],
}
