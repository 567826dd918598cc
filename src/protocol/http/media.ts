/** Media types of bodies and answers. */
export const MEDIA_JSON = 'application/json'
export const MEDIA_NDJSON = 'application/x-ndjson'
export const MEDIA_TEXT = 'text/plain'
export const MEDIA_SSE = 'text/event-stream'
export const MEDIA_METRICS = 'text/plain; version=0.0.4; charset=utf-8'
