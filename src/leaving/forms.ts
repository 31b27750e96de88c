import { passwordAgain } from '../accounts/fields.ts'
import { choice } from '../web/fields.ts'
import { form } from '../web/form.ts'

/** `current_password` may be empty where none is asked for: accounts/queries.ts, proofForPassword. */
export const leavingForm = form({ posts: choice(['keep', 'delete']), current_password: passwordAgain() })
