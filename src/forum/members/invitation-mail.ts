import type { Language, Role, Write } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { INVITATION_MAILS, INVITED_ONCE_MS } from '../../kernel/limits.ts'
import { isNewAccount } from '../../kernel/newcomers.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { type Renewal, renewEach } from '../../mail/renewal.ts'
import { NAME_PLACE, untoldOf, writeToStrangers } from '../../mail/write-mail.ts'
import { translatorOf } from '../../messages/catalogue.ts'

export interface Invitation {
  readonly course: { readonly id: number; readonly title: string; readonly language: Language }
  /** BASE_URL. */
  readonly baseUrl: string
  /** Who added them. Their mails of a day are counted. */
  readonly sender: Pick<Person, 'id' | 'newUntil' | 'isAdmin'>
}

export const INVITATION = 'invitation'

/** What an invitation tells: `mails.tells`. */
interface Invited {
  readonly course: number
  readonly role: Role
}

/** As an invitation is sent: whoever was taken out of the list meanwhile, or has joined, isn't invited. */
export const renewInvitation: Renewal = renewEach(
  async (write, { recipient, subject, text, html, tells }) => {
    const [invited] = tells as readonly Invited[]
    const mail = { recipient, subject, text, html }
    // Written by a version that didn't keep it.
    if (invited === undefined) return mail
    const pending = await write
      .selectFrom('pending_roles')
      .select('role')
      .where('course_id', '=', invited.course)
      .where('email', '=', recipient)
      .where('role', '=', invited.role)
      .executeTakeFirst()
    return pending === undefined ? null : mail
  },
)

/**
 * Tells the owners of addresses that have no account of the course they were added to. The mail names the course, the role and its
 * reader, where the list did, and nobody else: whoever added them is a stranger to most.
 * @returns how many are told: kernel/limits.ts
 */
export async function mailInvited(
  write: Write,
  { course, baseUrl, sender }: Invitation,
  added: readonly { readonly email: string; readonly role: Role; readonly name?: string | null }[],
): Promise<number> {
  const about = `invited to ${course.id}`
  const emails = added.map(({ email }) => email)
  const untold = await untoldOf(write, emails, about)
  const wanted = added.filter(({ email }) => untold.has(email))
  if (wanted.length === 0) return 0
  const allowed = wanted.slice(0, await allowanceOf(write, sender, wanted.length))
  const t = translatorOf(course.language)
  const letterFor = (role: Role, isNamed: boolean) => ({
    kind: INVITATION,
    language: course.language,
    subject: t('members.mail.subject', { course: course.title }),
    paragraphs: [
      ...(isNamed ? [t('members.mail.greeting', { name: NAME_PLACE })] : []),
      t(`members.mail.as.${role}`, { course: course.title }),
      t('members.mail.confirm'),
    ],
    action: { text: t('members.mail.action'), url: `${baseUrl}/sign-up` },
    footer: t('members.mail.footer'),
  })
  let told = 0
  for (const [role, group] of Map.groupBy(allowed, (one) => one.role)) {
    const invited: Invited = { course: course.id, role }
    const once = { about, window: INVITED_ONCE_MS, tells: [invited] }
    for (const [isNamed, people] of Map.groupBy(group, ({ name = null }) => name !== null))
      told += await writeToStrangers(write, letterFor(role, isNamed), people, once)
  }
  return told
}

/** How many of these mails somebody may still send today. */
async function allowanceOf(write: Write, sender: Invitation['sender'], wanted: number): Promise<number> {
  const max = isNewAccount(sender) ? INVITATION_MAILS.newcomer : INVITATION_MAILS.max
  const { count } = await countTry(write, `invitation mails of ${sender.id}`, INVITATION_MAILS.window, wanted)
  return Math.max(0, Math.min(wanted, max - (count - wanted)))
}
