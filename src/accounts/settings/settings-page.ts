import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Language, Role } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { coursePath } from '../../web/paths.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { findMailbox, type Mailbox } from '../address/email-confirmation.ts'
import { SYSTEM } from '../identity/forms.ts'
import { type Proof, proofForPassword } from '../identity/queries.ts'
import { type SignInAgain, waysToSignInAgain } from '../identity/reauthentication.ts'
import { languageOptions, type Option, themeOptions, timeZoneOptions } from './setting-options.ts'

interface SettingsPage extends InSettings {
  readonly profile: FormState
  readonly email: FormState
  readonly password: FormState
  /** What is wrong with leaving a course. */
  readonly leaving: FormState
  readonly courses: readonly OwnCourse[]
  readonly languages: readonly Option[]
  readonly timeZones: readonly Option[]
  readonly themes: readonly Option[]
  /** An account without an address has no password either. */
  readonly mailbox: Mailbox
  /** What a new password asks for: see queries.ts. */
  readonly proof: Proof['by']
  /** Providers to sign in with again, for people with no password to type. */
  readonly again: readonly SignInAgain[]
  /** Without a mail server links go to the admin, who passes them on. */
  readonly isSending: boolean
}

interface SettingsForms {
  readonly profile?: FormState
  readonly email?: FormState
  readonly password?: FormState
  readonly leaving?: FormState
}

/** The page with its forms; those that were not sent are as they were. */
export async function showSettings(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  forms: SettingsForms,
  status = 200,
) {
  const language = languageOfRequest(request)
  const t = translatorOf(language)
  const { profile = freshForm(typedOf(person)), email = freshForm(), password = freshForm() } = forms
  const { leaving = freshForm() } = forms
  const mailbox = await findMailbox(request.server.db, person.id)
  const proof = await proofForPassword(request.server.db, person.id, request.sessionToken)
  return reply.page<SettingsPage>(
    'accounts/settings',
    {
      title: t('accounts.settings.title'),
      profile,
      email,
      password,
      leaving,
      courses: await ownCourses(request.server.db, person.id),
      languages: languageOptions(t, profile.typed.language),
      timeZones: timeZoneOptions(t, language, profile.typed.time_zone),
      themes: themeOptions(t, profile.typed.theme),
      mailbox,
      proof: proof.by,
      again: proof.by === 'none' ? await waysToSignInAgain(request, person) : [],
      isSending: request.server.config.smtpUrl !== null,
      ...settingsNav(request, '/settings'),
    },
    { status, script: 'settings' },
  )
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

/** A course that somebody belongs to, as their settings list it. */
interface OwnCourse {
  readonly title: string
  /** For the lang attribute. */
  readonly lang: Language
  readonly path: string
  /** Where the form to leave it goes. */
  readonly leavingPath: string
  readonly role: Role
  /** Members only: a person who leaves cannot come back by themselves. */
  readonly isPrivate: boolean
}

/** The courses a person belongs to, by title. */
async function ownCourses(db: Database, personId: number): Promise<OwnCourse[]> {
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
