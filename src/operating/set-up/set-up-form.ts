import { z } from 'zod'
import { displayName, email, newPassword } from '../../accounts/identity/fields.ts'
import { timeZone } from '../../accounts/identity/forms.ts'
import { choice, line, text, titleLine } from '../../operations/fields.ts'
import { lengthOf } from '../../text/characters.ts'
import { form } from '../../web/form.ts'

/** As the constraints of the tables courses and lectures have it. */
const TITLE = { min: 1, max: 150 } as const
const FIELD = { min: 0, max: 50 } as const
const LECTURES = 500

/** One title a line; empty lines are skipped. */
const lectures = text({ min: 0, max: 100_000, long: 'accounts.setUp.lectures.many' }).transform(
  (value, context) => {
    const titles = value
      .split('\n')
      .map((title) => title.trim().replace(/\s+/gu, ' '))
      .filter((title) => title !== '')
    const tooLong = titles.findIndex((title) => lengthOf(title) > TITLE.max)
    if (tooLong >= 0) {
      const params = { position: tooLong + 1, max: TITLE.max }
      context.addIssue({ code: 'custom', message: 'accounts.setUp.lectures.long', params })
    } else if (titles.length > LECTURES) {
      context.addIssue({ code: 'custom', message: 'accounts.setUp.lectures.many', params: { max: LECTURES } })
    }
    return titles
  },
)

/** The first admin, but for the password, and the first course. */
export const setUpFields = {
  token: z.string().max(200),
  display_name: displayName(),
  email: email(),
  title: titleLine({ ...TITLE, short: 'accounts.setUp.title.short', long: 'accounts.setUp.title.long' }),
  field: line({ ...FIELD, long: 'accounts.setUp.field.long' }),
  language: choice(['en', 'ko']),
  time_zone: timeZone(),
  lectures,
}

export const setUpForm = form({ ...setUpFields, password: newPassword() })
