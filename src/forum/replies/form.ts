import { form } from '../../web/form.ts'
import { anonymous, editReason, naming, replyBody, resolve } from '../questions/form.ts'

export const replyForm = form({ body: replyBody(), anonymous, resolve })
export const replyEditForm = form({ body: replyBody(), anonymous: naming, reason: editReason() })
