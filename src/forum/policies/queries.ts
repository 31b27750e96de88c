import type { Database, Language, PolicyName } from '../../database/schema.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import type { PolicyPlace } from './commands.ts'
import { type Heading, outlineOf } from './outline.ts'

/** A page of the forum in one language, or the rules of a course. */
export interface Policy {
  readonly language: Language
  /** Markdown; '' is a page that nobody has written. */
  readonly body: string
  readonly version: number
  readonly changedAt: Date
}

/** A page that is not empty, so that others link to it. */
export interface ShownPolicy {
  /** null: of the forum. */
  readonly course: string | null
  readonly name: PolicyName
}

/** A page of the forum in every language that it was written in. Uses index policies_of_forum. */
export function findPolicies(db: Database, name: PolicyName): Promise<Policy[]> {
  return selectPolicies(db).where('course_id', 'is', null).where('name', '=', name).execute()
}

/** null: they were never written. Uses index policies_of_course. */
export async function findCourseRules(db: Database, courseId: number): Promise<Policy | null> {
  return (await selectPolicies(db).where('course_id', '=', courseId).executeTakeFirst()) ?? null
}

/** The page of a place; null: it was never written. */
export async function findPolicy(
  db: Database,
  { courseId, name, language }: PolicyPlace,
): Promise<Policy | null> {
  if (courseId !== null) return findCourseRules(db, courseId)
  return (await findPolicies(db, name)).find((policy) => policy.language === language) ?? null
}

/** The one that a reader of this language is shown: in another language where it is in that one only. null: all are empty. */
export function policyFor(policies: readonly Policy[], language: Language): Policy | null {
  const written = policies.filter(({ body }) => body !== '')
  return written.find((policy) => policy.language === language) ?? written[0] ?? null
}

/** All that are not empty: of the forum, and of each course. */
export function listShownPolicies(db: Database): Promise<ShownPolicy[]> {
  return db
    .selectFrom('policies')
    .leftJoin('courses as course', 'course.id', 'policies.course_id')
    .select(['course.slug as course', 'policies.name'])
    .distinct()
    .where('body', '<>', '')
    .execute()
}

/** A rule that a decision can name. */
export interface NamedRule extends Heading {
  readonly of: 'course' | 'forum'
}

/** The rules of a course and of the forum by their headings, the course's first; in the reader's language where they are. */
export async function listRules(
  db: Database,
  courseId: number | null,
  language: Language,
): Promise<NamedRule[]> {
  const [own, general] = await Promise.all([
    courseId === null ? null : findCourseRules(db, courseId),
    findPolicies(db, 'rules'),
  ])
  const [[ofCourse], [ofForum]] = await Promise.all([
    prepareMarkdown([own?.body ?? '']),
    prepareMarkdown([policyFor(general, language)?.body ?? '']),
  ])
  return [
    ...outlineOf(ofCourse).headings.map((heading) => ({ of: 'course' as const, ...heading })),
    ...outlineOf(ofForum).headings.map((heading) => ({ of: 'forum' as const, ...heading })),
  ]
}

function selectPolicies(db: Database) {
  return db
    .selectFrom('policies')
    .select(['language', 'body', 'version', 'changed_at as changedAt'])
    .orderBy('language')
}
