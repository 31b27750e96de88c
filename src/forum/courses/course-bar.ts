import type { Accent, Asking, Language } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { type Actor, type CourseAct, may, placeOf } from '../../rights/rights.ts'
import { coursePath, courseSettingsPath, courseTagsPath, figuresPath, lecturesPath } from '../../web/paths.ts'
import type { CourseBar } from '../../web/shell.ts'

/** The pages of a course that its bar leads to, in their order: who may do `act` there sees the place. */
const PLACES = [
  { name: 'questions', act: 'read', pathOf: coursePath },
  { name: 'lectures', act: 'read', pathOf: lecturesPath },
  { name: 'tags', act: 'read', pathOf: courseTagsPath },
  { name: 'figures', act: 'see-figures', pathOf: figuresPath },
  { name: 'settings', act: 'manage', pathOf: courseSettingsPath },
] as const satisfies readonly { name: string; act: CourseAct; pathOf: (slug: string) => string }[]

export type CoursePlace = (typeof PLACES)[number]['name']

interface BarCourse {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly language: Language
  readonly isPublic: boolean
  readonly asking: Asking
  readonly accent: Accent
  readonly isArchived: boolean
}

/** @param current the page that is shown; null: one below them */
export function courseBar(
  t: Translate,
  course: BarCourse,
  viewer: Actor | null,
  current: CoursePlace | null,
): CourseBar {
  const place = placeOf(course)
  return {
    text: course.title,
    path: coursePath(course.slug),
    lang: course.language,
    accent: course.accent === 'green' ? null : course.accent,
    isArchived: course.isArchived,
    following: may(viewer, 'follow-course', place)
      ? { action: `${coursePath(course.slug)}/following`, subject: `course.${course.id}` }
      : null,
    isHeading: current === 'questions',
    places: PLACES.filter(({ act }) => may(viewer, act, place)).map(({ name, pathOf }) => ({
      text: t(`courses.bar.${name}`),
      path: pathOf(course.slug),
      isCurrent: name === current,
      count: null,
    })),
  }
}
