import { ACCOUNT_EXAMPLES } from './accounts/examples-testing.ts'
import { CASE_EXAMPLES } from './forum/cases/examples-testing.ts'
import { CLAIM_EXAMPLES } from './forum/claiming/examples-testing.ts'
import { COURSE_EXAMPLES } from './forum/courses/examples-testing.ts'
import { POST_EXAMPLES } from './forum/posts/examples-testing.ts'
import { WEBHOOK_EXAMPLES } from './forum/webhooks/examples-testing.ts'
import { ADMIN_EXAMPLES } from './operating/admin/examples-testing.ts'
import type { Examples } from './testing/examples.ts'

/** How each operation that has a form is done once: every-form.test.ts holds that none is missing. */
export const EXAMPLES: Examples = {
  ...ACCOUNT_EXAMPLES,
  ...COURSE_EXAMPLES,
  ...POST_EXAMPLES,
  ...CASE_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
  ...CLAIM_EXAMPLES,
  ...ADMIN_EXAMPLES,
}
