/** The process of a party: it sends what it is told to, so that the kernel names it as the peer and nobody else. */
import { request } from './http.mjs'

process.on('message', async ({ id, args }) => {
  try {
    process.send({ id, reply: await request(...args) })
  } catch (error) {
    process.send({ id, failure: String(error) })
  }
})
