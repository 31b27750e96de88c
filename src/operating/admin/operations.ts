import { z } from 'zod'
import { AddressTaken } from '../../accounts/address/address.ts'
import type { AgentPolicy } from '../../accounts/apps/app.ts'
import { closeAccount } from '../../accounts/deletion/leave.ts'
import { hasSecondFactor, removeFactors } from '../../accounts/identity/factors.ts'
import { displayName, email } from '../../accounts/identity/fields.ts'
import { lockPeople, lockPerson } from '../../accounts/identity/lock.ts'
import { hashedPassword } from '../../accounts/identity/passwords.ts'
import { domainsIn } from '../../accounts/providers/operations.ts'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { createPerson } from '../../accounts/sign-in/sign-up.ts'
import type { Write } from '../../database/schema.ts'
import { retryJob } from '../../jobs/table.ts'
import { OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice, flag, metaOf, optional, plain, text, whole, yes } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { changeSiteSettings, findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { MAIL } from '../../mail/outbox.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { findPersonWhoCanSignIn } from './people.ts'

const SECOND_FACTOR_CHOICES = ['optional', 'required'] as const

/** Ten years at most; empty: as it is. */
const months = optional(whole(120, 'site.months.wrong'))

/** Empty: as it is. */
const daily = optional(whole(1000, 'site.daily.wrong'))

/** Markdown. Left out: as it is. */
const complaintBodies = text({ min: 0, max: 5000 })

const AGENTS = ['off', 'any', 'domains', 'registered'] as const
/** Domains with commas or blanks between. Left out: as they are. */
const agentDomains = plain.optional().meta({ ...metaOf(plain), isOptional: true })

export const siteSettingsChange = operation({
  name: 'change-site-settings',
  right: 'decide-settings',
  find: async () => null,
  limit: 'signIn',
  input: {
    staff_second_factor: choice(SECOND_FACTOR_CHOICES),
    audit_months: months,
    case_months: months,
    first_day_questions: daily,
    first_day_posts: daily,
    first_day_hosts: daily,
    reports_that_hold: daily,
    complaint_bodies: complaintBodies.optional().meta({ ...metaOf(complaintBodies), isOptional: true }),
    agents: optional(choice(AGENTS)),
    agent_domains: agentDomains,
  },
  events: ['site-settings-changed'],
  async run({ write, actor, input, note }) {
    const { complaint_bodies: complaintBodies } = input
    const numbers = {
      auditMonths: input.audit_months,
      caseMonths: input.case_months,
      firstDayQuestions: input.first_day_questions,
      firstDayPosts: input.first_day_posts,
      firstDayHosts: input.first_day_hosts,
      reportsThatHold: input.reports_that_hold,
    }
    const given = Object.entries(numbers).filter(([, number]) => number !== null)
    const staffNeedSecondFactor = input.staff_second_factor === 'required'
    const isAdmin = actor !== null && actor !== OPERATOR
    // An admin who requires it must have one, so as not to be locked out.
    if (staffNeedSecondFactor && isAdmin && !(await hasSecondFactor(write, actor.id)))
      throw refusal('staff_second_factor', 'site.yoursFirst')
    await changeSiteSettings(write, {
      staffNeedSecondFactor,
      ...Object.fromEntries(given),
      ...(complaintBodies !== undefined && { complaintBodies }),
      ...(await agentPolicyOf(write, input)),
    })
    note('site-settings-changed', { staffNeedSecondFactor })
  },
})

/** Which agents may ask, as far as it is given. @throws Refused where they come from listed domains, and none is */
async function agentPolicyOf(
  write: Write,
  {
    agents,
    agent_domains: typed,
  }: { readonly agents: AgentPolicy['agents'] | null; readonly agent_domains?: string | undefined },
): Promise<Partial<AgentPolicy>> {
  const before = await findSiteSettings(write)
  const agentDomains = typed === undefined ? before.agentDomains : domainsIn(typed, 'agent_domains')
  const changed = { agents: agents ?? before.agents, agentDomains }
  if (changed.agents === 'domains' && agentDomains.length === 0)
    throw refusal('agent_domains', 'site.agent_domains.needed')
  return changed
}

/** Tries a job that failed now. `job`: its id. @returns its kind */
export const jobRetry = operation({
  name: 'retry-job',
  right: 'look-after-forum',
  find: async () => null,
  input: { job: plain },
  events: ['job-retried'],
  async run({ write, input: { job: id }, note }) {
    const job = await retryJob(write, { id: Number(id) })
    if (job === null) throw notFound()
    note('job-retried', job)
    return job.kind
  },
})

/** Tries to send a mail now. `mail`: its id. */
export const mailRetry = operation({
  name: 'send-mail-again',
  right: 'see-mail',
  find: async () => null,
  input: { mail: plain },
  events: ['mail-sent-again'],
  async run({ write, input: { mail }, note }) {
    if ((await retryJob(write, { kind: MAIL, key: mail })) === null) throw notFound()
    note('mail-sent-again', { mailId: Number(mail) })
  },
})

/** Makes a link that signs somebody in, to be passed on to them. It is shown this once: the forum keeps its hash. */
export const signInLinkMaking = operation({
  name: 'make-sign-in-link',
  right: 'look-after-forum',
  find: async (write: Write, id: number) => ({
    accountId: id,
    person: await findPersonWhoCanSignIn(write, id),
  }),
  limit: 'mail',
  events: ['sign-in-link-made'],
  async run({ write, subject: { person }, baseUrl, note }) {
    if (person === null) throw notFound()
    const link = await makeSignInLink(write, person.id, baseUrl)
    note('sign-in-link-made', { ownerId: person.id })
    return { link, name: person.display_name, isConfirmed: person.is_confirmed }
  },
})

/** Makes an account for somebody whom the operator knows. Without a password it is signed in to by link. @throws AddressTaken */
export const accountCreation = operation({
  name: 'create-account',
  right: 'look-after-forum',
  find: async () => null,
  limit: 'signUp',
  input: { display_name: displayName(), email: email(), password: optional(hashedPassword), admin: flag },
  async run({ write, input: { display_name: displayName, email, password, admin: isAdmin } }) {
    const passwordHash = password?.hash ?? null
    const person = { displayName, email, passwordHash, isAdmin, isConfirmed: true }
    const id = await createPerson(write, person)
    if (id === null) throw new AddressTaken()
    return id
  },
})

/** Removes the second factors of somebody who lost them; they are told. @returns false when there was none */
export const secondFactorRemoval = operation({
  name: 'remove-second-factors',
  right: 'look-after-forum',
  async find(write: Write, id: number) {
    await lockPerson(write, id)
    return { accountId: id }
  },
  limit: 'signIn',
  run: ({ write, subject, ...where }) => removeFactors(write, subject.accountId, where),
})

const numbered = z.string().transform(numberOf)

/** Makes somebody an admin, or takes that back; the last one stays. */
export const changeAdmin = operation({
  name: 'change-admin',
  right: 'manage-people',
  find: lockAccount,
  input: { person: numbered, value: yes },
  events: ['admin-changed'],
  async run({ write, input: { person: id, value: isAdmin }, note }) {
    const account = await findAccount(write, id)
    if (!isAdmin && account.isLastAdmin) throw refusal('value', 'admin.person.lastAdmin')
    await write.updateTable('people').set({ is_admin: isAdmin }).where('id', '=', id).execute()
    note('admin-changed', { ownerId: id, isAdmin })
  },
})

/**
 * Deletes the account of somebody else, as they could themselves, or removes a name that an import brought. Its address, or without one its
 * name, is typed.
 */
export const deleteAccount = operation({
  name: 'remove-account',
  right: 'manage-people',
  find: lockAccount,
  input: { person: numbered, confirm: z.string(), posts: choice(['keep', 'delete']) },
  events: ['account-removed'],
  async run({ write, actor, input: { person: id, confirm, posts }, baseUrl, note }) {
    const account = await findAccount(write, id)
    const called = account.email ?? account.displayName
    if (confirm.trim().normalize('NFC').toLowerCase() !== called.toLowerCase())
      throw refusal('confirm', 'admin.person.wrongName', { name: called })
    if (account.isLastAdmin) throw refusal('confirm', 'admin.person.lastAdmin')
    const language = personOf(actor).language ?? 'en'
    const formerName = translatorOf(language)('leaving.formerName')
    await closeAccount(write, account, { posts, formerName }, { baseUrl, language })
    note('account-removed', { ownerId: id, posts })
    return { isUnclaimed: account.isUnclaimed }
  },
})

/** The number of an account, as an address has it; 0: nobody's. */
function numberOf(id: string): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
}

/** Locks an account and all admins, before the actor is read: two admins could else take each other away. */
async function lockAccount(write: Write, id: string): Promise<null> {
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).execute()
  await lockPeople(write, [...admins.map((admin) => admin.id), numberOf(id)])
  return null
}

/** @throws Problem 'notFound' */
async function findAccount(write: Write, id: number) {
  const [account] = await lockPeople(write, [id])
  const row = await write
    .selectFrom('people')
    .select(['display_name as displayName', 'is_unclaimed as isUnclaimed'])
    .where('id', '=', id)
    .where('left_at', 'is', null)
    .executeTakeFirst()
  if (account === undefined || row === undefined) throw notFound()
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return { ...account, ...row, isLastAdmin: admins.length === 1 && admins[0]?.id === id }
}
