import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { coursePath } from '../../web/paths.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { findMailbox } from '../address/email-confirmation.ts'
import { SYSTEM } from '../identity/forms.ts'
import { proofForPassword } from '../identity/queries.ts'
import { waysToSignInAgain } from '../identity/reauthentication.ts'
import { languageOptions, themeOptions, timeZoneOptions } from './setting-options.ts'

/** The page with its forms; those that were not sent are as they were. `leaving`: what is wrong with leaving a course. */
export async function showSettings(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  forms: Readonly<Partial<Record<'profile' | 'email' | 'password' | 'leaving', FormState>>>,
  status = 200,
) {
  const language = languageOfRequest(request)
  const t = translatorOf(language)
  const { db, config } = request.server
  const { profile = freshForm(typedOf(person)), email = freshForm(), password = freshForm() } = forms
  const { leaving = freshForm() } = forms
  const mailbox = await findMailbox(db, person.id)
  const proof = await proofForPassword(db, person.id, request.sessionToken)
  const page = {
    title: t('accounts.settings.title'),
    profile,
    email,
    password,
    leaving,
    courses: await ownCourses(db, person.id),
    languages: languageOptions(t, profile.typed.language),
    timeZones: timeZoneOptions(t, language, profile.typed.time_zone),
    themes: themeOptions(t, profile.typed.theme),
    // An account without an address has no password either.
    mailbox,
    proof: proof.by,
    again: proof.by === 'none' ? await waysToSignInAgain(request, person) : [],
    // Without a mail server links go to the admin, who passes them on.
    isSending: config.smtpUrl !== null,
    ...settingsNav(request, '/settings'),
  }
  return reply.page<typeof page>('accounts/settings', page, { status, script: 'settings' })
}

/** The profile form as it is before anything is typed. */
export function typedOf(person: Person): Record<string, string> {
  return {
    display_name: person.displayName,
    language: person.language ?? SYSTEM,
    time_zone: person.timeZone ?? '',
    theme: person.theme,
  }
}

/** The courses a person belongs to, by title. Who leaves a private one cannot come back by themselves. */
async function ownCourses(db: Database, personId: number) {
  const rows = await db
    .selectFrom('course_members as member')
    .innerJoin('courses as course', 'course.id', 'member.course_id')
    .select(['course.slug', 'course.title', 'course.language', 'course.is_public', 'member.role'])
    .where('member.person_id', '=', personId)
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .execute()
  return rows.map(({ slug, title, language, is_public, role }) => ({
    title,
    lang: language,
    path: coursePath(slug),
    leavingPath: `${coursePath(slug)}/leaving`,
    role,
    isPrivate: !is_public,
  }))
}
