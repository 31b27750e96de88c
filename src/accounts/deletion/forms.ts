import { choice, line } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'
import { passwordAgain } from '../identity/fields.ts'

/** `current_password` or `display_name`, whichever is asked for: accounts/identity/queries.ts, proofForLeaving. The other may be empty. */
export const leavingForm = form({
  posts: choice(['keep', 'delete']),
  current_password: passwordAgain(),
  display_name: line({ min: 0, max: 200 }),
})
