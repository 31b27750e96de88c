import type { Language } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { FormState } from '../../web/form.ts'
import type { AskableCourse } from '../courses/choices.ts'
import type { CourseContext } from '../courses/course-page.ts'
import { mayHide } from './audience.ts'

/** More staff than this are not named. */
const MOST_NAMES = 4

export type OpennessFields = Awaited<ReturnType<typeof opennessFields>>

/** Who will read a new question, and who will see who asked: views/questions/_openness.eta. */
export async function opennessFields(
  { t, lang, server, course, ...context }: CourseContext<AskableCourse>,
  { typed }: FormState,
) {
  const person = context.person()
  const { teachers } = await server.asides.of(course.id)
  const whole = course.isPublic ? 'public' : 'members'
  const listed = listedPeople(lang, staffNames(t, teachers))
  return {
    // Who reads what everybody in the course reads, and what is private; null: the course takes nothing private.
    courseLabel: t(course.isPublic ? 'audience.everyone' : 'audience.course'),
    courseText: t(course.allowsPrivate ? `audience.course.${whole}` : `audience.course.only.${whole}`),
    staffText: course.allowsPrivate ? t('audience.staff.text', { names: listed }) : null,
    // Who sees the name that is hidden.
    anonymousText: t('anonymous.box.text', { name: person.displayName }),
    mayHide: mayHide(person, course),
    isPrivate: typed.audience === 'staff',
    isAnonymous: typed.anonymous === '1',
  }
}

/** Names as a sentence has them: Korean ones by commas alone, since the word that joins things (및) isn't said of people. */
export function listedPeople(language: Language, names: readonly string[]): string {
  return language === 'ko' ? names.join(', ') : new Intl.ListFormat(language).format(names)
}

/** Who of a course's staff is named to those who ask. @returns names, or who they are together; never empty */
export function staffNames(t: Translate, staff: readonly { readonly text: string }[]): string[] {
  const names = staff.map(({ text }) => text)
  if (names.length === 0) return [t('audience.staffOfCourse')]
  if (names.length <= MOST_NAMES) return names
  return [...names.slice(0, MOST_NAMES), t('audience.otherStaff')]
}
