/** The Responses API of OpenAI, as Codex uses it. */
import { nextCallId, sendEvent, startStream, textIn } from './stream.mjs'

const USAGE = {
  input_tokens: 1,
  input_tokens_details: null,
  output_tokens: 1,
  output_tokens_details: null,
  total_tokens: 2,
}

export const responses = {
  speaks: (path) => path.endsWith('/responses'),

  read(body) {
    return {
      tools: (body.tools ?? []).flatMap((tool) => offered(tool)),
      text: textIn([body.instructions, body.input]),
      body,
      isAside: false,
    }
  },

  write(outgoing, { text, calls = [] }) {
    const items = calls.length === 0 ? [message(text)] : calls.map(({ tool, input }) => call(tool, input))
    const id = nextCallId('resp_')
    startStream(outgoing)
    const event = (type, data) => sendEvent(outgoing, { type, ...data }, type)
    event('response.created', { response: { id } })
    for (const [index, item] of items.entries())
      event('response.output_item.done', { output_index: index, item })
    event('response.completed', { response: { id, usage: USAGE } })
    outgoing.end()
  },
}

/** Tools of an MCP server come as one tool that holds them. */
function offered(tool) {
  if (tool.type !== 'namespace') return [{ name: tool.name ?? tool.type, kind: tool.type }]
  return (tool.tools ?? []).map(({ name, type }) => ({ name, kind: type, namespace: tool.name }))
}

function message(text) {
  return {
    type: 'message',
    id: nextCallId('m_'),
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  }
}

function call({ name, kind, namespace }, input) {
  const ids = { id: nextCallId('fc_'), call_id: nextCallId('call_') }
  const place = namespace === undefined ? {} : { namespace }
  // A tool that takes one text and no JSON, such as a patch.
  if (kind === 'custom') return { type: 'custom_tool_call', ...ids, name, input: String(input) }
  return { type: 'function_call', ...ids, ...place, name, arguments: JSON.stringify(input) }
}
