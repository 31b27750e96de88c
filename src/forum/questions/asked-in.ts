import type { Audience, Database } from '../../database/schema.ts'
import { type FieldError, notFound, Refused } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Message } from '../../messages/catalogue.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { type AskableCourse, askableCourse } from '../courses/choices.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { mayHide } from './audience.ts'

interface Asked {
  readonly body: RenderedText
  readonly lecture: number | null
  readonly category: string | null
  readonly audience: Audience | null
  readonly anonymous: boolean
}

/** Checks the place and audience of a question. @throws Refused where the course has or takes no such thing */
export async function askedIn(db: Database, person: Person, courseId: number, asked: Asked) {
  const course = await askableCourse(db, person, courseId)
  if (course === null) throw notFound()
  return placedIn(course, person, asked)
}

export function placedIn(course: AskableCourse, person: Person, asked: Asked) {
  const place = placeIn(course, asked)
  const { audience, anonymous } = asked
  const errors = [
    ...(isUntouched(asked.body.source, course) ? [error('body', 'questions.template.untouched')] : []),
    ...place.errors,
    ...closedIn(course, person, asked),
  ]
  if (errors.length > 0 || place.categoryId === null) throw new Refused(errors)
  const { lectureId, categoryId } = place
  return { lectureId, categoryId, audience: audience ?? ('course' as const), isAnonymous: anonymous }
}

export function closedIn(
  course: AskableCourse,
  person: Person,
  { audience, anonymous }: Pick<Asked, 'audience' | 'anonymous'>,
): readonly FieldError[] {
  return [
    ...(audience === 'staff' && !course.allowsPrivate ? [error('audience', 'audience.off')] : []),
    ...(anonymous && !mayHide(person, course)
      ? [error('anonymous', course.allowsAnonymous ? 'anonymous.staff' : 'anonymous.off')]
      : []),
  ]
}

/** The rows that a lecture's number and a category's slug name, or what is wrong about them. */
export function placeIn(
  course: AskableCourse,
  { lecture: position, category: slug }: Pick<Asked, 'lecture' | 'category'>,
) {
  const lecture = course.lectures.find((candidate) => candidate.position === position)
  const wished = slug ?? DEFAULT_CATEGORY.slug
  const category =
    course.categories.find((candidate) => candidate.slug === wished) ??
    (slug === null ? course.categories[0] : undefined)
  const errors = [
    ...(position !== null && lecture === undefined ? [error('lecture', 'questions.lecture.unknown')] : []),
    ...(category === undefined ? [error('category', 'questions.category.unknown')] : []),
  ]
  return { lectureId: lecture?.id ?? null, categoryId: category?.id ?? null, errors }
}

function error(field: string, key: Message['key']): FieldError {
  return { field, message: { key } }
}

function isUntouched(body: string, { questionTemplate }: Pick<AskableCourse, 'questionTemplate'>): boolean {
  return questionTemplate !== '' && wordsOf(body) === wordsOf(questionTemplate)
}

function wordsOf(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/gu, ' ')
}
