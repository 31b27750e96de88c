import { z } from 'zod'
import { AddressTaken } from '../../accounts/address/address.ts'
import { hasSecondFactor, removeFactors } from '../../accounts/identity/factors.ts'
import { displayName, email } from '../../accounts/identity/fields.ts'
import { lockPerson } from '../../accounts/identity/lock.ts'
import { hashedPassword } from '../../accounts/identity/new-password.ts'
import { createPerson } from '../../accounts/sign-in/commands.ts'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import type { Write } from '../../database/schema.ts'
import { retryJob } from '../../jobs/table.ts'
import { MAIL } from '../../mail/outbox.ts'
import { OPERATOR } from '../../operations/actor.ts'
import { choice, flag, optional, plain } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import { changeSiteSettings, MONTHS } from '../../rights/site-settings.ts'
import { findPersonWhoCanSignIn } from './lists.ts'

export const SECOND_FACTOR_CHOICES = ['optional', 'required'] as const

/** Empty: as it is. */
const months = optional(
  z.string().transform((value, context) => {
    const count = /^\d{1,3}$/.test(value.trim()) ? Number(value) : 0
    if (count >= MONTHS.min && count <= MONTHS.max) return count
    context.addIssue({ code: 'custom', message: 'site.months.wrong', params: MONTHS })
    return z.NEVER
  }),
)

/** Changes what admins decide for the whole forum. */
export const siteSettingsChange = operation({
  name: 'change-site-settings',
  right: 'decide-settings',
  find: async () => null,
  limit: 'signIn',
  input: { staff_second_factor: choice(SECOND_FACTOR_CHOICES), audit_months: months, case_months: months },
  events: ['site-settings-changed'],
  async run({ write, actor, input, note }) {
    const { audit_months: auditMonths, case_months: caseMonths } = input
    const staffNeedSecondFactor = input.staff_second_factor === 'required'
    const isAdmin = actor !== null && actor !== OPERATOR
    // An admin who requires it must have one, so as not to be locked out.
    if (staffNeedSecondFactor && isAdmin && !(await hasSecondFactor(write, actor.id)))
      throw refusal('staff_second_factor', 'site.yoursFirst')
    await changeSiteSettings(write, {
      staffNeedSecondFactor,
      ...(auditMonths !== null && { auditMonths }),
      ...(caseMonths !== null && { caseMonths }),
    })
    note('site-settings-changed', { staffNeedSecondFactor })
  },
})

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
