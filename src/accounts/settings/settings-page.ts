import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { Language } from '../../messages/language.ts'
import { zoneNames } from '../../messages/zone-names.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { coursePath } from '../../web/paths.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { findMailbox } from '../address/email-confirmation.ts'
import { hasOffers } from '../address/imported-address.ts'
import { SYSTEM } from '../identity/forms.ts'
import { askingOf } from '../identity/reauthentication.ts'
import { emailChangeRequest, passwordChange, profileChange } from './operations.ts'

/** Each language under its own name, so that it is found by who reads no other. */
export const OWN_LANGUAGES = [
  { value: 'en', text: 'English', lang: 'en' },
  { value: 'ko', text: '한국어', lang: 'ko' },
]

export const languageOptions = (t: Translate) => [
  { value: SYSTEM, text: t('profile.language.system') },
  ...OWN_LANGUAGES,
]

/** All zones; a stored one that this engine knows under another name stays to be chosen. */
export function courseTimeZoneOptions(language: Language, chosen = '') {
  const names = zoneNames(language)
  const isKnown = chosen === '' || names.some(({ value }) => value === chosen)
  return isKnown ? names : [{ value: chosen, text: chosen.replaceAll('_', ' ') }, ...names]
}

/** The page with its forms; those that were not sent are as they were. `leaving`: what is wrong with leaving a course. */
export const showSettings = settingsPage(
  'accounts/settings',
  '/settings',
  { script: 'settings' },
  async (
    context,
    forms: Readonly<Partial<Record<'profile' | 'email' | 'password' | 'leaving', FormState>>>,
  ) => {
    const { t, formFields, db, lang, isSending } = context
    const person = context.person()
    const { profile = freshForm(typedOf(person)), email = freshForm(), password = freshForm() } = forms
    const courseZone = { value: '', text: t('profile.time_zone.course') }
    return {
      title: t('accounts.settings.title'),
      ...{ leaving: freshForm(), ...forms, profile, email, password },
      courses: await ownCourses(db, person.id),
      hasOffers: await hasOffers(db, person.id),
      fields: formFields('profile', profileChange.input, profile, {
        language: { options: languageOptions(t) },
        time_zone: { options: [courseZone, ...courseTimeZoneOptions(lang, profile.typed.time_zone)] },
      }),
      emailFields: formFields('emailChange', emailChangeRequest.input, email, {
        // Without a mail server links go to the admin, who passes them on.
        new_email: { autocomplete: 'email', ...(!isSending && { hint: t('accounts.emailChange.kept') }) },
      }),
      passwordFields: formFields('newPassword', passwordChange.input, password),
      // An account without an address has no password either.
      mailbox: await findMailbox(db, person.id),
      ...(await askingOf(context)),
      isSending,
    }
  },
)

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
