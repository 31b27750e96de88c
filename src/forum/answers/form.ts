import { form } from '../../web/form.ts'
import { postBody } from '../questions/form.ts'

export const answerForm = form({ body: postBody() })
