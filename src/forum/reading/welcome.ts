import type { Language } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import type { CourseAside } from '../courses/aside.ts'
import { listedPeople, staffNames } from '../questions/openness-fields.ts'

/** What a course in which nobody has asked yet says to the first who may, and to those who answer: views/questions/_list.eta. */
export function welcomeOf(language: Language, aside: CourseAside, isForStaff: boolean) {
  const t = translatorOf(language)
  const names = staffNames(t, aside.teachers)
  const listed = listedPeople(language, names)
  const staffText = t('questions.empty.all.staff', { names: listed, count: names.length })
  const promise = aside.promised === null ? '' : ` ${t('courses.promise.says', aside.promised)}`
  return {
    isForStaff,
    // Who answers, by name or the staff, and how soon where they say so.
    staffText: `${staffText}${promise}`,
    anonymousText: aside.allowsAnonymous ? t('questions.empty.all.anonymous') : null,
  }
}
