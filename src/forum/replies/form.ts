import { text } from '../../web/fields.ts'
import { form } from '../../web/form.ts'
import { editReason, REPLY_BODY } from '../questions/form.ts'

const body = text({ ...REPLY_BODY, short: 'posts.body.short', long: 'posts.body.long' })

export const replyForm = form({ body })
export const replyEditForm = form({ body, reason: editReason() })
