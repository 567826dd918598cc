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

  write(outgoing, { text, calls = [] }, { body, path }) {
    if (path.endsWith('/count_tokens')) return sendJson(outgoing, { input_tokens: 1 })
    const blocks = calls.map(({ tool, input }) => {
      return { type: 'tool_use', id: nextCallId('toolu_'), name: tool.name, input }
    })
    if (blocks.length === 0) blocks.push({ type: 'text', text })
    const stop_reason = calls.length === 0 ? 'end_turn' : 'tool_use'
    const message = { id: nextCallId('msg_'), type: 'message', role: 'assistant', model: body.model }
    if (body.stream !== true)
      return sendJson(outgoing, { ...message, content: blocks, stop_reason, usage: USAGE })
    const event = (type, data) => sendEvent(outgoing, { type, ...data }, type)
    startStream(outgoing)
    event('message_start', { message: { ...message, content: [], stop_reason: null, usage: USAGE } })
    for (const [index, block] of blocks.entries()) {
      const isText = block.type === 'text'
      event('content_block_start', {
        index,
        content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
      })
      event('content_block_delta', {
        index,
        delta: isText
          ? { type: 'text_delta', text }
          : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      })
      event('content_block_stop', { index })
    }
    event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } })
    event('message_stop', {})
    outgoing.end()
  },
}
