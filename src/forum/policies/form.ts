import { text } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'

/** Characters of a page; 0: it is empty, and not linked. */
export const POLICY_BODY = { min: 0, max: 30_000 } as const

export const policyForm = form({ body: text({ ...POLICY_BODY, long: 'posts.body.long' }) })
