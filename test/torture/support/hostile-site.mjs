/**
 * Two servers for what a hostile page tries: the site it comes from, and one without any guard, at which the same attempts
 * have to succeed; an attempt that fails there as well shows nothing.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** What every page of the site has: something that is waited for comes, fails, or is given up. */
const DOCUMENT = `<!doctype html><title>evil</title><body><script>
  const GIVE_UP_MS = 1_500
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const outcome = (target, good = ['load'], bad = ['error']) =>
    Promise.race([
      ...good.map((name) => new Promise((resolve) => target.addEventListener(name, () => resolve(name)))),
      ...bad.map((name) => new Promise((resolve) => target.addEventListener(name, () => resolve('')))),
      pause(GIVE_UP_MS).then(() => ''),
    ])
  const element = (name, members) => {
    const made = Object.assign(document.createElement(name), members)
    const came = outcome(made)
    document.body.append(made)
    return came
  }
  const read = async (url, options) => {
    const answer = await fetch(url, options)
    if (answer.type === 'opaque') return ''
    const { value } = await answer.body.getReader().read()
    return answer.status + ' ' + new TextDecoder().decode(value).slice(0, 100)
  }
  const contentOf = (frame) => {
    try {
      return frame.contentDocument?.body?.innerText ?? ''
    } catch {
      return ''
    }
  }
  const framed = async (name, members) => {
    const came = element(name, members)
    const frame = document.body.lastElementChild
    await came
    return contentOf(frame)
  }
  const submit = async ({ origin, key, forged }, { path = '/v1/verbs/agent_broadcast', ...members }) => {
    const { frame, target } = frameFor()
    const asked = { method: 'post', action: origin + path, target, ...members }
    const form = Object.assign(document.createElement('form'), asked)
    // As text it is one line of JSON: the name, an equals sign, and the value.
    const name = JSON.stringify({ key, text: forged, pad: '' }).slice(0, -2)
    form.append(Object.assign(document.createElement('input'), { name, value: '"}' }))
    document.body.append(form)
    const came = outcome(frame)
    form.submit()
    await came
    return contentOf(frame)
  }
  const frameFor = () => {
    const frame = Object.assign(document.createElement('iframe'), { name: 'f' + Math.random() })
    document.body.append(frame)
    return { frame, target: frame.name }
  }
  const post = async (origin, fields, { frame, target }) => {
    const members = { method: 'post', action: origin + '/login', target }
    const form = Object.assign(document.createElement('form'), members)
    for (const [name, value] of Object.entries(fields))
      form.append(Object.assign(document.createElement('input'), { name, value }))
    document.body.append(form)
    const came = frame && outcome(frame)
    form.submit()
    await came
    return frame ? contentOf(frame) : ''
  }
  const peek = async (url, then = () => {}) => {
    const target = 'w' + Math.random()
    const opened = window.open(url, target)
    await then(target)
    await pause(400)
    const looks = [
      () => opened.document.body.innerText,
      () => opened.location.href,
      () => opened.sessionStorage.length,
      () => opened.history.length,
      () => opened.name,
    ]
    const seen = looks.map((look) => {
      try {
        return String(look() ?? '')
      } catch {
        return ''
      }
    })
    // A window that was cut off is an empty one to whoever opened it.
    const found = opened.closed ? [] : seen.filter((text) => !['', 'about:blank', '0', '1', target].includes(text))
    opened.close()
    return found.join(' ')
  }
</script>`

const MEDIA = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }

const BODIES = { js: '', css: 'x {}', svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' }

/** The site. @returns `{port, close}` */
export function startHostileSite() {
  return listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(DOCUMENT)
  })
}

/** Answers everybody everything. @returns `{port, close}` */
export async function startOpenServer() {
  const open = await listen((request, response) => {
    const kind = request.url.split('?')[0].split('.').at(-1)
    const isStream = request.url.startsWith('/v1/watch')
    response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : (MEDIA[kind] ?? 'text/html'),
      'access-control-allow-origin': request.headers.origin ?? '*',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-allow-credentials': 'true',
      'timing-allow-origin': '*',
    })
    if (isStream) response.write('data: x\n\n')
    else response.end(BODIES[kind] ?? 'agentd')
  })
  open.server.on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.on('error', () => {})
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    )
  })
  return open
}

async function listen(answer) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    port: server.address().port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
