import { form } from '../../web/form.ts'
import { anonymous, editReason, naming, postBody } from '../questions/form.ts'

export const answerForm = form({ body: postBody(), anonymous })
export const answerEditForm = form({ body: postBody(), anonymous: naming, reason: editReason() })
