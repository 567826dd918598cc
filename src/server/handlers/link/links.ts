/** How the links are (docs/http.md §13). */
import { json, type RouteAnswer } from '../../request/answer.ts'
import type { RequestContext } from '../../request/context.ts'
import { nothingHere } from '../../request/router.ts'

/** Where there is none, there is no such path either (FED-01). */
export async function getLinks({ links }: RequestContext): Promise<RouteAnswer> {
  const reply = await links.list()
  if (reply === undefined) throw nothingHere()
  return json(reply)
}
