/**
 * What a page of no origin could send as a form, which is how a browser sends a key that was opened on a file: everything but
 * one right key, to one place, for a window.
 */
import { attempt, FORM, SAY } from './seat-heads.mjs'

/** As a browser says that a window is to show what comes back. */
const WINDOW = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** All of them. @param stage - of `browser.mjs`; its `freshKey` has to be as good afterwards */
export function formAttempts({ seat, token, usedKey, freshKey }) {
  const opening = { origin: 'null', ...FORM, ...WINDOW }
  const form = (
    name,
    { body = `key=${freshKey}`, path = '/login', fields = {}, ...asked },
    statuses = [403],
  ) =>
    attempt(
      `form ${name}`,
      { method: 'POST', path, body, fields: { ...opening, ...fields }, ...asked },
      statuses,
      seat,
    )
  const login = (name, body, statuses) => form(name, { body }, statuses)
  return [
    login('with a used key', `key=${usedKey}`, [401, 429]),
    login('with a wrong key', `key=${'A'.repeat(43)}`, [401, 429]),
    login('with an empty key', 'key=', [401, 429]),
    login('with nothing', '', [400]),
    login('with the key twice', `key=${freshKey}&key=${freshKey}`, [400]),
    login('with one field more', `key=${freshKey}&x=`, [400]),
    login('with another field', `token=${freshKey}`, [400]),
    login('of JSON', JSON.stringify({ key: freshKey }), [400]),
    login('without an end', `key=${freshKey}${'x'.repeat(2_000)}`, [413]),
    form('as JSON by its type', { fields: { 'content-type': 'application/json' } }),
    form('of text', { fields: { 'content-type': 'text/plain' } }),
    form('of parts', { fields: { 'content-type': 'multipart/form-data; boundary=x' } }),
    form('of two types', { fields: { 'content-type': [FORM['content-type'], 'application/json'] } }),
    form('of two origins', { fields: { origin: ['null', `http://${seat.authority}`] } }),
    form('of an origin with a name', { fields: { origin: 'http://evil.com' } }),
    form('of another port', { fields: { origin: `http://127.0.0.1:${seat.port + 1}` } }),
    form('of a file by name', { fields: { origin: 'file://' } }),
    form('of no origin at all', { fields: { origin: undefined } }),
    form('into a frame', { fields: { 'sec-fetch-dest': 'iframe' } }),
    form('by fetch', { fields: { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' } }),
    form('of a nonsense site', { fields: { 'sec-fetch-site': 'nonsense' } }),
    form('that says it is of here', {
      fields: { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' },
    }),
    form('by another name', { fields: { host: `localhost:${seat.port}` } }, [400, 421]),
    ...[
      '/',
      '/login/',
      '/login?x',
      '/Login',
      '/%6cogin',
      '/logout',
      '/visible',
      SAY.path,
      '/v1/envelopes',
    ].map((path) => form(`to ${path}`, { path, token })),
    ...['GET', 'PUT', 'DELETE', 'HEAD'].map((method) => form(`by ${method}`, { method, token })),
  ]
}
