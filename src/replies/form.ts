import { text } from '../web/fields.ts'
import { form } from '../web/form.ts'

export const REPLY_BODY = { min: 1, max: 5000 } as const

export const replyForm = form({
  body: text({ ...REPLY_BODY, short: 'posts.body.short', long: 'posts.body.long' }),
})
