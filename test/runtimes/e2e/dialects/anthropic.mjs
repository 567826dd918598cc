/** The Messages API of Anthropic, as Claude Code uses it. */
import { nextCallId, sendEvent, sendJson, startStream, textIn } from './stream.mjs'

const USAGE = { input_tokens: 1, output_tokens: 1 }

export const anthropic = {
  speaks: (path) => path.startsWith('/v1/messages'),

  read(body) {
    const tools = (body.tools ?? []).map(({ name }) => ({ name }))
    return {
      tools,
      text: textIn([body.system, body.messages]),
      body,
      // A title, a summary, a count: no tools, or no stream.
      isAside: tools.length === 0 || body.stream !== true,
    }
  },

  write(outgoing, { text, tool, input }, { body, path }) {
    if (path.endsWith('/count_tokens')) return sendJson(outgoing, { input_tokens: 1 })
    const block =
      tool === undefined
        ? { type: 'text', text }
        : { type: 'tool_use', id: nextCallId('toolu_'), name: tool.name, input }
    const stop_reason = tool === undefined ? 'end_turn' : 'tool_use'
    const message = { id: nextCallId('msg_'), type: 'message', role: 'assistant', model: body.model }
    if (body.stream !== true)
      return sendJson(outgoing, { ...message, content: [block], stop_reason, usage: USAGE })
    const event = (type, data) => sendEvent(outgoing, { type, ...data }, type)
    const isText = block.type === 'text'
    startStream(outgoing)
    event('message_start', { message: { ...message, content: [], stop_reason: null, usage: USAGE } })
    event('content_block_start', {
      index: 0,
      content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
    })
    event('content_block_delta', {
      index: 0,
      delta: isText
        ? { type: 'text_delta', text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    })
    event('content_block_stop', { index: 0 })
    event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } })
    event('message_stop', {})
    outgoing.end()
  },
}
