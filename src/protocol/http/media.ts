/** Media types of bodies and answers. */
export const MEDIA_JSON = 'application/json'
/** What the memo's own deployment says a frame is: JSON. */
export const MEDIA_AGENT = 'application/x-alter-agent'
export const MEDIA_NDJSON = 'application/x-ndjson'
export const MEDIA_TEXT = 'text/plain'
/** A sentence for people. */
export const MEDIA_TEXT_UTF8 = 'text/plain; charset=utf-8'
/** What `curl --data-urlencode` sends. */
export const MEDIA_FORM = 'application/x-www-form-urlencoded'
export const MEDIA_SSE = 'text/event-stream'
export const MEDIA_METRICS = 'text/plain; version=0.0.4; charset=utf-8'
