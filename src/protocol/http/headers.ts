/** Header fields of this contract's own, in the lower case in which Node gives them (docs/http.md §§2, 4). */

/** Of `POST /v1/sessions`: the token of the living session that the new one carries on (HD-01). */
export const PREDECESSOR_HEADER = 'agentd-predecessor'

/** Of `POST /v1/sessions`: when the process of its `pid` began, as who registers sees it: `<boot id>:<ticks>`, Linux (HD-04). */
export const PID_START_HEADER = 'agentd-pid-start'

/** The person's key, which stands for a token where one is mandatory (HD-23). */
export const KEY_HEADER = 'agentd-key'

/** Of a request without a token: the declared handle of the person's that it speaks for, instead of the principal's. */
export const AS_HEADER = 'agentd-as'

/** What only a child of an agent runtime sees of its surroundings: base64url of JSON (docs/http.md §§10, 12; OP-02, OP-08). */
export const SURROUNDINGS_HEADER = 'agentd-surroundings'
