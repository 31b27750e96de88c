import { text } from '../../web/fields.ts'
import { form } from '../../web/form.ts'
import { REPLY_BODY } from '../questions/form.ts'

export const replyForm = form({
  body: text({ ...REPLY_BODY, short: 'posts.body.short', long: 'posts.body.long' }),
})
