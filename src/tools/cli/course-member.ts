import type { Role } from '../../database/schema.ts'
import { memberSetting, NoAccount } from '../../forum/members/operations.ts'
import { courseCalled } from './course-called.ts'
import { performAsOperator } from './perform.ts'
import { CommandError, withDatabase } from './run.ts'

/** In place of a role: removes the membership. */
export const NONE = 'none'

/** `course member SLUG EMAIL ROLE`: gives the owner of an email address a role, or removes them from the course. */
export async function member(slug: string, address: string, role: Role | typeof NONE): Promise<void> {
  await withDatabase(async (tools) => {
    const { title } = await courseCalled(tools.db, slug)
    const input = { email: address, role: role === NONE ? '' : role }
    const set = await performAsOperator(tools, memberSetting, slug, input).catch((error: unknown) => {
      if (!(error instanceof NoAccount)) throw error
      const email = address.normalize('NFC').trim().toLowerCase()
      throw new CommandError(`no one has an account with ${email}; create one with user create`)
    })
    console.log(set.removed === null ? given(set, role, title) : taken(set.email, set.removed, title))
  })
}

/** @returns the line to print */
function given({ email, grant }: { email: string; grant: string }, role: string, title: string): string {
  if (grant === 'given') return `${email} is ${role} of "${title}"`
  return `${email} is not confirmed, so the role ${role} of "${title}" takes effect when its owner confirms the address: with the link in their email, or the one from "user link ${email}"`
}

/** @returns the line to print */
function taken(email: string, removed: { isMember: boolean; isLed: boolean }, title: string): string {
  if (!removed.isMember) throw new CommandError(`${email} has no role in "${title}"`)
  const warning = removed.isLed ? '' : '; it has no instructor now: add one with course member'
  return `${email} has no role in "${title}" anymore${warning}`
}
