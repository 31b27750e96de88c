import { z } from 'zod'
import { email } from '../../accounts/identity/fields.ts'
import { choice, flag, optional, plain, whole } from '../../kernel/fields.ts'
import { isDay } from '../../text/dates.ts'

export const ROLES = ['learner', 'assistant', 'instructor'] as const

export const role = choice(ROLES)
export const address = email()

/** An address with its role a line, or a table: member-lines.ts reads them. */
export const list = z.string().meta({ type: 'string', kind: 'text' })

/** A column of a table, counted from 0; null: none is named. */
export const column = plain.transform((value) => (/^\d{1,2}$/.test(value) ? Number(value) : null))

/** Whether who has no account yet is told by mail. */
export const mail = flag
/** The same, and whether rights may be taken that people have: those were shown. */
export const meant = { mail, change: flag }

/** The selected roles of those that a list named: address and role of each. What can't be one selects nobody. */
export const selectedRoles = rows().transform((values) =>
  values.flatMap((value) => {
    const [email = '', named, ...more] = value.split(' ')
    const role = ROLES.find((one) => one === named)
    return role === undefined || more.length > 0 ? [] : addressesOf([email]).map((email) => ({ email, role }))
  }),
)

/** The selected members, by id. What can't be an id selects nobody. */
export const selectedMembers = rows().transform((values) =>
  values.filter((value) => /^[1-9]\d{0,14}$/.test(value)).map(Number),
)

/** The selected addresses. What can't be one selects nobody. */
export const selectedAddresses = rows().transform(addressesOf)

function addressesOf(values: readonly string[]): string[] {
  return values
    .filter((value) => value !== '' && value.length <= 254 && value.isWellFormed() && !value.includes('\0'))
    .map((value) => value.toLowerCase())
}

/** A field that comes once for each selected row. */
function rows() {
  return z.union([z.string(), z.array(z.string())]).transform((sent) => [...new Set([sent].flat())])
}

/** Such as 2026-12-01. */
const day = () =>
  plain.refine((text) => isDay(text.trim()), { error: 'members.until.wrong' }).meta({ format: 'date' })

/** As the constraint invitations_uses_bounds has it. */
const uses = () => whole(100_000, 'members.uses.wrong')

/** Without `until`: thirty days. Without `uses`: as many people as there are. */
export const invitation = { role, until: optional(day()), uses: optional(uses()) }
