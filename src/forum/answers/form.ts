import { form } from '../../web/form.ts'
import { editReason, postBody } from '../questions/form.ts'

export const answerForm = form({ body: postBody() })
export const answerEditForm = form({ body: postBody(), reason: editReason() })
