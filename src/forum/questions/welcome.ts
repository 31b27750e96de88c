import type { Language } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import type { CourseAside } from '../courses/aside.ts'
import { listedPeople, staffNames } from './openness-fields.ts'

/** What a course in which nobody has asked yet says to the first who may. */
export interface Welcome {
  /** Who answers: by name, or the staff. */
  readonly staffText: string
  /** null: one cannot hide one's name here. */
  readonly anonymousText: string | null
}

/** The words of an empty course: views/questions/_list.eta. */
export function welcomeOf(language: Language, aside: CourseAside): Welcome {
  const t = translatorOf(language)
  const names = staffNames(
    t,
    aside.teachers.map(({ text }) => text),
  )
  const listed = listedPeople(language, names)
  return {
    staffText: t('questions.empty.all.staff', { names: listed, count: names.length }),
    anonymousText: aside.allowsAnonymous ? t('questions.empty.all.anonymous') : null,
  }
}
