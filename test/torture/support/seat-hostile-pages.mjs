/**
 * What a hostile web page could try from within a browser against the page's process.
 *
 * Each way runs in that page, with what its document has (`hostile-site.mjs`), and returns what it came to know: '' is
 * nothing. What the process answered is looked at besides, since a page cannot see whether something was done.
 */

/** Name → what the page does with `{origin, token, key, link, forged}`. */
const WAYS = {
  'fetch, cors': ({ origin }) => read(`${origin}/v1/health`),
  'fetch, cors, of the document': ({ origin }) => read(`${origin}/`),
  'fetch, cors, of its script': ({ origin }) => read(`${origin}/page.js`),
  'fetch, no-cors': ({ origin }) => read(`${origin}/v1/health`, { mode: 'no-cors' }),
  'fetch, no-cors, of its script': ({ origin }) => read(`${origin}/page.js`, { mode: 'no-cors' }),
  'fetch with what the browser keeps': ({ origin }) =>
    read(`${origin}/v1/health`, { credentials: 'include' }),
  'fetch with a stolen token': ({ origin, token }) =>
    read(`${origin}/v1/health`, { headers: { authorization: `Bearer ${token}` } }),
  'fetch of a watch with a stolen token': ({ origin, token }) =>
    read(`${origin}/v1/watch`, { headers: { authorization: `Bearer ${token}` } }),
  'fetch, JSON': ({ origin, forged }) =>
    read(`${origin}/v1/verbs/agent_broadcast`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: forged }),
    }),
  'fetch, JSON, with a stolen token': ({ origin, token, forged }) =>
    read(`${origin}/v1/verbs/agent_broadcast`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ text: forged }),
    }),
  'fetch, JSON as text': ({ origin, forged }) =>
    read(`${origin}/v1/verbs/agent_broadcast`, {
      method: 'POST',
      mode: 'no-cors',
      body: JSON.stringify({ text: forged }),
    }),
  'fetch, a stolen key as text': ({ origin, key }) =>
    read(`${origin}/login`, { method: 'POST', mode: 'no-cors', body: JSON.stringify({ key }) }),
  'fetch, a stolen key': ({ origin, key }) =>
    read(`${origin}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    }),
  'fetch, kept alive': ({ origin, forged }) =>
    read(`${origin}/v1/verbs/agent_broadcast`, { method: 'POST', keepalive: true, body: forged }),
  'fetch, DELETE': ({ origin, token }) =>
    read(`${origin}/v1/frames?kind=agent_query`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    }),
  'fetch, a thread': ({ origin }) => read(`${origin}/thread?corr=nightly`),
  'fetch, a thread with a stolen token': ({ origin, token }) =>
    read(`${origin}/thread?corr=nightly`, { headers: { authorization: `Bearer ${token}` } }),
  'fetch, a thread, no-cors': ({ origin }) => read(`${origin}/thread?corr=nightly`, { mode: 'no-cors' }),
  'fetch, signing out': ({ origin, token }) =>
    read(`${origin}/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    }),
  'fetch, as of this machine': ({ origin }) =>
    read(`${origin}/v1/health`, { targetAddressSpace: 'loopback' }),
  'a greeting': ({ origin }) => read(`${origin}/hello?nonce=0123456789abcdef`),
  XMLHttpRequest: ({ origin, token }) => {
    const request = new XMLHttpRequest()
    request.open('GET', `${origin}/v1/health`)
    request.setRequestHeader('authorization', `Bearer ${token}`)
    const came = outcome(request)
    request.send()
    return came
  },
  EventSource: ({ origin }) => outcome(new EventSource(`${origin}/v1/watch`), ['open', 'message']),
  'EventSource with what the browser keeps': ({ origin, token }) =>
    outcome(new EventSource(`${origin}/v1/watch?token=${token}`, { withCredentials: true }), [
      'open',
      'message',
    ]),
  WebSocket: ({ origin }) => outcome(new WebSocket(`${origin.replace('http', 'ws')}/v1/watch`), ['open']),
  'WebSocket with a protocol': ({ origin, token }) =>
    outcome(new WebSocket(`${origin.replace('http', 'ws')}/`, [token]), ['open']),
  'a form of fields': (stage) => submit(stage, { enctype: 'application/x-www-form-urlencoded' }),
  'a form of text': (stage) => submit(stage, { enctype: 'text/plain' }),
  'a form of parts': (stage) => submit(stage, { enctype: 'multipart/form-data' }),
  'a form that asks': (stage) => submit(stage, { method: 'get', path: '/v1/health' }),
  'a form with a stolen key': (stage) => submit(stage, { enctype: 'text/plain', path: '/login' }),
  'a form of fields with a stolen key': ({ origin, key }) => post(origin, { key }, frameFor()),
  'a form of fields with a guessed key, into a window': ({ origin }) =>
    peek('about:blank', (target) => post(origin, { key: 'A'.repeat(43) }, { target })),
  'a form of fields with a stolen key and one more, into a window': ({ origin, key }) =>
    peek('about:blank', (target) => post(origin, { key, pad: '' }, { target })),
  'fetch, a stolen key as fields': ({ origin, key }) =>
    read(`${origin}/login`, { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ key }) }),
  'sendBeacon of a stolen key as fields': ({ origin, key }) => {
    navigator.sendBeacon(`${origin}/login`, new URLSearchParams({ key }))
    return pause(100).then(() => '')
  },
  script: ({ origin }) => element('script', { src: `${origin}/page.js` }),
  'script of the API': ({ origin }) => element('script', { src: `${origin}/v1/health` }),
  module: ({ origin }) => element('script', { type: 'module', src: `${origin}/page.js` }),
  'dynamic import': ({ origin }) => import(`${origin}/page.js`).then(() => 'imported'),
  worker: ({ origin }) => outcome(new Worker(`${origin}/page.js`), ['message']),
  'script of a worker': async ({ origin }) => {
    const text = `try { importScripts('${origin}/page.js'); postMessage('got') } catch { postMessage('') }`
    const worker = new Worker(URL.createObjectURL(new Blob([text])))
    return new Promise((resolve) => worker.addEventListener('message', ({ data }) => resolve(data)))
  },
  'service worker': async ({ origin }) => {
    await navigator.serviceWorker.register(`${origin}/page.js`)
    return 'registered'
  },
  image: ({ origin }) => element('img', { src: `${origin}/icon.svg` }),
  'image of the API': ({ origin }) => element('img', { src: `${origin}/v1/health` }),
  style: ({ origin }) => element('link', { rel: 'stylesheet', href: `${origin}/page.css` }),
  video: ({ origin }) => element('video', { src: `${origin}/v1/health` }),
  font: ({ origin }) => new FontFace('x', `url(${origin}/icon.svg)`).load().then(() => 'loaded'),
  iframe: ({ origin }) => framed('iframe', { src: `${origin}/` }),
  'iframe of the API': ({ origin }) => framed('iframe', { src: `${origin}/v1/health` }),
  object: ({ origin }) => framed('object', { data: `${origin}/`, type: 'text/html' }),
  embed: ({ origin }) => framed('embed', { src: `${origin}/` }),
  'window.open, and a look': ({ origin }) => peek(`${origin}/`),
  'window.open of a stolen link, and a look': ({ origin, link }) => peek(`${origin}/#key=${link}`),
  'window.open of the API': ({ origin, token }) => peek(`${origin}/v1/health?token=${token}`),
  prefetch: ({ origin }) => element('link', { rel: 'prefetch', href: `${origin}/page.js` }),
  'prefetch of the document': ({ origin }) =>
    element('link', { rel: 'prefetch', as: 'document', href: `${origin}/` }),
  preload: ({ origin }) => element('link', { rel: 'preload', as: 'fetch', href: `${origin}/v1/health` }),
  modulepreload: ({ origin }) => element('link', { rel: 'modulepreload', href: `${origin}/page.js` }),
  sendBeacon: ({ origin, forged }) => {
    navigator.sendBeacon(`${origin}/v1/verbs/agent_broadcast`, JSON.stringify({ text: forged }))
    return pause(100).then(() => '')
  },
  'sendBeacon of JSON': ({ origin, forged }) => {
    const body = new Blob([JSON.stringify({ text: forged })], { type: 'application/json' })
    navigator.sendBeacon(`${origin}/v1/verbs/agent_broadcast`, body)
    return pause(100).then(() => '')
  },
  'a ping of a link': ({ origin }) => {
    const link = Object.assign(document.createElement('a'), { href: '#', ping: `${origin}/logout` })
    document.body.append(link)
    link.click()
    return pause(100).then(() => '')
  },
  'how long it takes': async ({ origin }) => {
    await fetch(`${origin}/v1/health?timing`, { mode: 'no-cors' })
    const [entry] = performance.getEntriesByName(`${origin}/v1/health?timing`)
    return entry?.responseStatus || entry?.transferSize || entry?.encodedBodySize ? JSON.stringify(entry) : ''
  },
}

/** Answers that are none: what was refused, or went nowhere. */
const REFUSED_FROM = 400

/**
 * Tries all of them in one page, one after the other.
 *
 * @param place - a page or a frame of the hostile site
 * @param stage - `{origin, token, key, link, forged}`: against whom, with what was stolen, and a text that would tell
 * @returns names of what was tried, and what passed
 */
export async function tryWays(place, context, stage) {
  const passed = []
  let current = ''
  const onResponse = (response) => {
    if (isTold(response, stage.origin)) passed.push(`${current}: answered with ${response.status()}`)
  }
  context.on('response', onResponse)
  for (const [name, way] of Object.entries(WAYS)) {
    current = name
    const got = await place.evaluate(way, stage).catch(() => '')
    if (got !== '' && got !== undefined) passed.push(`${name}: got ${JSON.stringify(got).slice(0, 100)}`)
  }
  context.off('response', onResponse)
  return { tried: Object.keys(WAYS), passed }
}

/** Whether the process has given something to somebody else's page; a window of its own is what links are for. */
function isTold(response, origin) {
  if (!response.url().startsWith(origin) || response.status() >= REFUSED_FROM) return false
  const request = response.request()
  const frame = frameOf(request)
  const isWindow = request.isNavigationRequest() && (frame === undefined || frame.parentFrame() === null)
  if (isWindow) return new URL(request.url()).pathname !== '/'
  return frame?.url().startsWith(`${origin}/`) !== true
}

/** A window that is only being opened has none yet. */
function frameOf(request) {
  try {
    return request.frame()
  } catch {
    return undefined
  }
}
