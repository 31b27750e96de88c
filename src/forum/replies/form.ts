import { text } from '../../web/fields.ts'
import { form } from '../../web/form.ts'
import { anonymous, editReason, naming, REPLY_BODY } from '../questions/form.ts'

const body = text({ ...REPLY_BODY, short: 'posts.body.short', long: 'posts.body.long' })

export const replyForm = form({ body, anonymous })
export const replyEditForm = form({ body, anonymous: naming, reason: editReason() })
