/**
 * What is typed into which terminal, and what has to be shown before the tape goes on.
 *
 * A step is `{pane, type, shows}`; `shows` is looked for in `of`, or in the same pane, and what its group `kept` matches
 * takes the place of `KEPT` in a later step. `after` is a frame's kind that the daemon must hold first.
 */
export const TAPE = [
  { pane: 'claude', type: '# I have edited src/auth.ts. My hook tells agentd:' },
  { pane: 'claude', type: 'agentd hook claude-code < edited.json' },
  { pane: 'codex', type: '# I am about to edit the same file. My hook is told:', after: 'agent_advisory' },
  {
    pane: 'codex',
    type: "agentd hook codex < edits.json | jq -r '.[].additionalContext' | fold -sw 92",
    shows: /announced work on src\/auth\.ts/,
  },
  {
    pane: 'codex',
    type: 'agentd ask "may I rename refresh()?" --scope \'~alice/cc*\' --timeout 30s',
  },
  { pane: 'claude', type: '# Between two of my tool calls, the question comes in:', after: 'agent_query' },
  {
    pane: 'claude',
    type: "agentd hook claude-code < next-tool.json | jq -r '.[].additionalContext' | fold -sw 92",
    shows: /query: may I rename refresh\(\)\? \[query (?<kept>[0-9a-f-]{36})\][\s\S]*End of messages\./,
  },
  {
    pane: 'claude',
    type: 'agentd respond KEPT "yes, my edit is in"',
    shows: /sent agent_response to 1 session/,
  },
  {
    pane: 'codex',
    type: 'agentd handover "refresh() is now renew(); its tests are red on purpose"',
    before: /cc-\w+: yes, my edit is in/,
    shows: /sent agent_handover to 1 session/,
  },
]

/** How the panes are headed, from top to bottom. */
export const PANES = [
  { id: 'claude', title: 'a Claude Code session in ~/shop' },
  { id: 'codex', title: 'a Codex session in ~/shop' },
]
