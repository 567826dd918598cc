/** The chat completions of OpenAI, which OpenCode speaks with any compatible server. */
import { nextCallId, sendEvent, sendJson, startStream, textIn } from './stream.mjs'

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

export const chat = {
  speaks: (path) => path.endsWith('/chat/completions'),

  read(body) {
    const tools = (body.tools ?? []).map((tool) => ({ name: tool.function?.name ?? '' }))
    return { tools, text: textIn(body.messages), body, isAside: tools.length === 0 }
  },

  write(outgoing, { text, calls = [] }, { body }) {
    const id = nextCallId('chatcmpl-')
    const common = { id, created: Math.floor(Date.now() / 1_000), model: body.model }
    const finish_reason = calls.length === 0 ? 'stop' : 'tool_calls'
    const message =
      calls.length === 0
        ? { role: 'assistant', content: text }
        : { role: 'assistant', tool_calls: calls.map((one, index) => call(one, index)) }
    if (body.stream !== true) {
      const choices = [{ index: 0, message, finish_reason }]
      return sendJson(outgoing, { ...common, object: 'chat.completion', choices, usage: USAGE })
    }
    startStream(outgoing)
    const chunk = (choices, rest) =>
      sendEvent(outgoing, { ...common, object: 'chat.completion.chunk', choices, ...rest })
    chunk([{ index: 0, delta: message, finish_reason: null }])
    chunk([{ index: 0, delta: {}, finish_reason }])
    chunk([], { usage: USAGE })
    outgoing.end('data: [DONE]\n\n')
  },
}

function call({ tool: { name }, input }, index) {
  return {
    index,
    id: nextCallId('call_'),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }
}
