import { z } from 'zod'
import { email } from '../../accounts/identity/fields.ts'
import { choice, line, optional } from '../../operations/fields.ts'
import { form } from '../../web/form.ts'

export const ROLES = ['learner', 'assistant', 'instructor'] as const

/** One address. */
export const memberForm = form({ email: email(), role: choice(ROLES) })

/** Many lines `email,role`: the lines are read one by one, so that a bad one holds up none of the others. */
export const listForm = form({ list: z.string() })

/** Beside both: `mail` = 1 tells who has no account yet; `change` = 1 means the changes of roles that were asked about. */
export const meantForm = form({ mail: optional(choice(['1'])), change: optional(choice(['1'])) })

export const roleForm = form({ role: choice(ROLES) })

export const waitingForm = form({ email: email() })

/** What is done with selected rows; `sure` = 1 once it was said who is removed. */
export const selectionForm = form({
  act: choice(['role', 'removal', 'invitation']),
  role: optional(choice(ROLES)),
  sure: optional(choice(['1'])),
})

/** The selected members, by id. What can't be an id selects nobody. */
export const selectedMembers = form({
  person: rows().transform((values) => values.filter((value) => /^[1-9]\d{0,14}$/.test(value)).map(Number)),
})

/** The selected addresses. What can't be one selects nobody. */
export const selectedAddresses = form({
  email: rows().transform((values) =>
    values
      .filter((value) => value.length <= 254 && value.isWellFormed() && !value.includes('\0'))
      .map((value) => value.toLowerCase()),
  ),
})

/** A field that comes once for each selected row. */
function rows() {
  return z.union([z.string(), z.array(z.string())]).transform((sent) => [...new Set([sent].flat())])
}

/** Such as 2026-12-01. */
const day = () =>
  line({ min: 10, max: 10, short: 'members.until.wrong', long: 'members.until.wrong' }).refine(
    (text) => isDay(text),
    { error: 'members.until.wrong' },
  )

const uses = () =>
  z.string().transform((value, context) => {
    const number = /^\d{1,6}$/.test(value.trim()) ? Number(value) : 0
    if (number >= 1 && number <= MAX_USES) return number
    context.addIssue({ code: 'custom', message: 'members.uses.wrong', params: { max: MAX_USES } })
    return z.NEVER
  })

/** As the constraint invitations_uses_bounds has it. */
const MAX_USES = 100_000

/** Without `until`: thirty days. Without `uses`: as many people as there are. */
export const invitationForm = form({
  role: choice(ROLES),
  until: optional(day()),
  uses: optional(uses()),
})

/** Whether there is such a day: 2026-02-31 is none. */
function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return (
    /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
  )
}
