/**
 * nginx with nchan on a Unix socket of its own: frames come in as HTTP requests, one each, and go out as Server-Sent
 * Events. Nothing of a system's own configuration is read, and no service is started.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, existsSync, writeFileSync } from 'node:fs'
import { openConnection } from './connection.mjs'
import { createBatches } from './frames.mjs'
import { childrenOf, hasCommand, onServerCore } from './machine.mjs'
import { createTempDir, spawnServer } from './processes.mjs'
import { until } from './waiting.mjs'

/** Where the packages of distributions put the module. */
const MODULES = ['/usr/lib/nginx/modules', '/usr/lib64/nginx/modules', '/usr/share/nginx/modules'].map(
  (directory) => `${directory}/ngx_nchan_module.so`,
)

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

const ROOT_USER_ID = 0

/** It numbers the messages of a channel within each second with fifteen bits, and loses what comes beyond them. */
const MOST_PER_SECOND = 30_000

/** Whether there is an nginx, and the module for it. */
export function hasNchan() {
  return hasCommand('nginx') && modulePath() !== undefined
}

function modulePath() {
  return MODULES.find((path) => existsSync(path))
}

/** "nginx version: nginx/1.22.1" → "nginx 1.22.1 with nchan" */
export function nchanVersion() {
  const said = execFileSync('sh', ['-c', 'nginx -v 2>&1'], { encoding: 'utf8' })
  return `nginx ${/nginx\/(\S+)/.exec(said)?.[1]} with nchan`
}

/** One worker, so that it is one process as the others are; messages are not stored, as with the ring off. */
function configOf(dir) {
  const user = process.getuid?.() === ROOT_USER_ID ? 'user root;\n' : ''
  const temporary = TEMPORARY.map((name) => `${name}_temp_path ${dir.file(name)};`).join(' ')
  return `load_module ${modulePath()};
${user}daemon off;
worker_processes 1;
pid ${dir.file('pid')};
error_log stderr error;
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary}
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_buffer_size 64k;
  client_body_in_single_buffer on;
  nchan_shared_memory_size 256M;
  server {
    listen unix:${dir.file('n.sock')};
    location = /ready { return 204; }
    location = /publish { nchan_publisher; nchan_channel_id bench; nchan_store_messages off; }
    location = /events { nchan_subscriber eventsource; nchan_channel_id bench; nchan_eventsource_ping_interval 0; }
  }
}
`
}

/** Publish over HTTP, subscribe as Server-Sent Events. */
export async function startNchan() {
  const dir = createTempDir()
  for (const name of TEMPORARY) mkdirSync(dir.file(name))
  writeFileSync(dir.file('nginx.conf'), configOf(dir))
  const server = spawnServer(
    onServerCore(['nginx', '-p', dir.path, '-c', dir.file('nginx.conf'), '-e', 'stderr']),
  )
  const target = { path: dir.file('n.sock') }
  // The worker does all of the work; its parent only waits for it.
  const pid = await until(
    () => {
      if (!server.isAlive()) throw new Error(`nginx did not start: ${server.output().slice(-600)}`)
      return existsSync(target.path) ? childrenOf(server.pid)[0] : undefined
    },
    10_000,
    'nginx has no worker',
  )
  const head = ['POST /publish HTTP/1.1', 'host: bench', 'content-type: application/json'].join('\r\n')
  return {
    name: 'nchan',
    pid,
    mostPerSecond: MOST_PER_SECOND,
    batches: () =>
      createBatches({ before: (octets) => `${head}\r\ncontent-length: ${octets}\r\n\r\n`, after: '' }),
    openPublisher: () =>
      openConnection(target, 'GET /ready HTTP/1.1\r\nhost: bench\r\n\r\n', (text) =>
        text.includes('\r\n\r\n'),
      ),
    openSubscriber: () =>
      openConnection(
        target,
        'GET /events HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n\r\n',
        (text) => requireOk(text) && text.includes('\r\n\r\n'),
      ),
    async stop() {
      await server.stop()
      dir.remove()
    },
  }
}

function requireOk(text) {
  if (text.length >= 12 && !text.startsWith('HTTP/1.1 200'))
    throw new Error(`nginx refused: ${text.slice(0, 300)}`)
  return true
}
