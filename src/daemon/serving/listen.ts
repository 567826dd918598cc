/**
 * Where the daemon listens.
 */
import type { Server } from 'node:http'
import { activatedListenerFd, consumeActivation } from '../../host/socket/activation.ts'
import { descriptorLimit, shareDescriptors } from '../../host/socket/descriptors.ts'
import { listenActivated, listenPrivately, type Listening } from '../../host/socket/listener.ts'
import type { Config } from '../../host/config/config.ts'
import type { Environment } from '../../host/config/paths.ts'

interface ListeningParts {
  readonly config: Pick<Config, 'socketPath'>
  readonly environment: Environment
}

/** On the socket a service manager passed, or on our own. */
export async function listen({ config, environment }: ListeningParts, server: Server): Promise<Listening> {
  const passedFd = activatedListenerFd(environment)
  const { arrivals } = shareDescriptors(descriptorLimit())
  if (passedFd === undefined) return listenPrivately(server, config.socketPath, arrivals)
  const listening = await listenActivated(server, passedFd, config.socketPath, arrivals)
  consumeActivation(environment)
  return listening
}
