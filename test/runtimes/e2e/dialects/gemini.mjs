/** The Gemini API, as the Gemini CLI uses it. */
import { sendEvent, sendJson, startStream, textIn } from './stream.mjs'

const USAGE = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }

export const gemini = {
  speaks: (path) => /:(?:streamGenerateContent|generateContent|countTokens)$/.test(path),

  read(body) {
    const tools = (body.tools ?? [])
      .flatMap((tool) => tool.functionDeclarations ?? [])
      .map(({ name }) => ({ name }))
    return { tools, text: textIn([body.systemInstruction, body.contents]), body, isAside: tools.length === 0 }
  },

  write(outgoing, { text, calls = [] }, { path, body }) {
    if (path.endsWith(':countTokens')) return sendJson(outgoing, { totalTokens: 1 })
    const wantsJson = body.generationConfig?.responseMimeType === 'application/json'
    const parts = calls.map(({ tool, input }) => ({ functionCall: { name: tool.name, args: input } }))
    if (parts.length === 0) parts.push({ text: wantsJson ? '{}' : text })
    const answer = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: USAGE,
    }
    if (path.endsWith(':generateContent')) return sendJson(outgoing, answer)
    startStream(outgoing)
    sendEvent(outgoing, answer)
    outgoing.end()
  },
}
