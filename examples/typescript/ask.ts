/**
 * Asks every session and prints the answers: ask.ts QUESTION [MILLISECONDS]
 */
import { connect } from 'agentd-bus'

const [question = 'who is there?', timeoutMs = '5000'] = process.argv.slice(2)

const client = await connect()
const session = await client.session({ instrument: 'typescript-example', pid: process.pid })
const { outcome, responses } = await session.ask(question, { timeoutMs: Number(timeoutMs) })
for (const { text } of responses) console.log(text)
if (responses.length === 0) console.log(outcome)
await session.close()
await client.close()
