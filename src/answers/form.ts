import { postBody } from '../questions/form.ts'
import { form } from '../web/form.ts'

export const answerForm = form({ body: postBody() })
