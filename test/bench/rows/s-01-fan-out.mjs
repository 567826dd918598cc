/** S-01: deliveries per second and their cost over the number of subscribers; measured together with P-01 and P-02. */
import { fanOutCurve } from '../support/fan-out.mjs'

export const row = { id: 'S-01', run: fanOutCurve }
