/**
 * A laptop and a devbox with a hub between them, both linked and up.
 */
import { CutProxy } from '../support/cut-proxy.ts'
import { TestHub, type HubWish } from '../support/hub.ts'
import { LinkedDaemon } from './linked-daemon.ts'

export interface Machines extends AsyncDisposable {
  readonly hub: TestHub
  readonly way: CutProxy
  readonly laptop: LinkedDaemon
  readonly devbox: LinkedDaemon
}

/** @param variables - of the devbox's daemon */
export async function startMachines(
  wish: HubWish = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<Machines> {
  const hub = await TestHub.start(wish)
  const way = await CutProxy.start(hub.port)
  const [laptop, devbox] = await Promise.all(
    ['laptop', 'devbox'].map((node) =>
      LinkedDaemon.start(hub, node, way.port, node === 'devbox' ? variables : {}),
    ),
  )
  if (laptop === undefined || devbox === undefined) throw new Error('there are two')
  await Promise.all([laptop.state('up'), devbox.state('up')])
  return {
    hub,
    way,
    laptop,
    devbox,
    async [Symbol.asyncDispose]() {
      await Promise.all([laptop[Symbol.asyncDispose](), devbox[Symbol.asyncDispose]()])
      await way[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}
