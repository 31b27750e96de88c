import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import {
  type Database,
  type Language,
  POLICY_NAMES,
  type PolicyName,
  type Write,
} from '../../database/schema.ts'
import { choice, text } from '../../kernel/fields.ts'
import { type Doing, forum, operation, type Subject } from '../../kernel/operation.ts'
import { EditedMeanwhile } from '../../kernel/problem.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { prepareMarkdown, type RenderedText } from '../../text/markdown.ts'
import { plainText } from '../../text/plain.ts'
import { courseRulesPath } from '../../web/paths.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { lockedCourse } from '../courses/find-course.ts'
import { version } from '../posts/form.ts'

/** Its `body` is Markdown; '' is a page that nobody has written. */
export type Policy = Awaited<ReturnType<typeof findPolicies>>[number]

/** A page of the forum in every language that it was written in. Uses index policies_of_forum. */
export function findPolicies(db: Database, name: PolicyName) {
  return selectPolicies(db).where('course_id', 'is', null).where('name', '=', name).execute()
}

/** null: they were never written. Uses index policies_of_course. */
export async function findCourseRules(db: Database, courseId: number) {
  return (await selectPolicies(db).where('course_id', '=', courseId).executeTakeFirst()) ?? null
}

/** The page of a place; null: it was never written. */
export async function findPolicy(db: Database, { courseId, name, language }: PolicyPlace) {
  if (courseId !== null) return findCourseRules(db, courseId)
  return (await findPolicies(db, name)).find((policy) => policy.language === language) ?? null
}

/** The one that a reader of this language is shown: in another language where it is in that one only. null: all are empty. */
export function policyFor(policies: readonly Policy[], language: Language): Policy | null {
  const written = policies.filter(({ body }) => body !== '')
  return written.find((policy) => policy.language === language) ?? written[0] ?? null
}

/** All that are not empty: of the forum (`course` null), and of each course. */
function listShownPolicies(db: Database) {
  return db
    .selectFrom('policies')
    .leftJoin('courses as course', 'course.id', 'policies.course_id')
    .select(['course.slug as course', 'policies.name'])
    .distinct()
    .where('body', '<>', '')
    .execute()
}

export type NamedRule = Awaited<ReturnType<typeof listRules>>[number]

/** The rules of a course and of the forum by their headings, the course's first; in the reader's language where they are. */
export async function listRules(db: Database, courseId: number | null, language: Language) {
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

export interface PolicyPlace {
  /** null: of the forum. */
  readonly courseId: number | null
  readonly name: PolicyName
  readonly language: Language
}

/**
 * @param begunWith the version that the change was begun with; 0: there was none
 * @returns 'conflict': somebody else changed it meanwhile
 */
export async function changePolicy(
  write: Write,
  { courseId, name, language }: PolicyPlace,
  body: string,
  begunWith: number,
): Promise<'done' | 'conflict'> {
  if (begunWith === 0) {
    const made = await write
      .insertInto('policies')
      .values({ course_id: courseId, name, language, body })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return made.numInsertedOrUpdatedRows === 1n ? 'done' : 'conflict'
  }
  const place =
    courseId === null
      ? sql<boolean>`course_id is null and name = ${name} and language = ${language}`
      : sql<boolean>`course_id = ${courseId}`
  const changed = await write
    .updateTable('policies')
    .set({ body, language, version: sql`version + 1`, changed_at: sql`now()` })
    .where(place)
    .where('version', '=', begunWith)
    .executeTakeFirst()
  return changed.numUpdatedRows === 1n ? 'done' : 'conflict'
}

/**
 * The text of a page with its headings a level higher than in posts, as the page itself has only a title, and
 * anchors on those of the first level: `rule-1`, `rule-2` and so on.
 */
export function outlineOf(body: RenderedText) {
  const headings: { id: string; text: string }[] = []
  const html = body.html.replace(/<h([3-6])>(.*?)<\/h\1>/gs, (_all, level: string, inner: string) => {
    if (level !== '3') return `<h${Number(level) - 1}>${inner}</h${Number(level) - 1}>`
    const id = `rule-${headings.length + 1}`
    headings.push({ id, text: plainText(inner) })
    return `<h2 id="${id}">${inner}</h2>`
  })
  return { html, headings }
}

/** Characters of a page; 0: it is empty, and not linked. */
export const POLICY_BODY = { min: 0, max: 30_000 } as const

const body = text({ ...POLICY_BODY, long: 'posts.body.long' })

/** What changes nothing makes no version. @throws EditedMeanwhile */
export const policyChange = operation({
  name: 'change-policy',
  right: 'decide-settings',
  find: forum,
  input: { name: choice(POLICY_NAMES), language: choice(LANGUAGES), body, version },
  events: ['policy-changed'],
  run: async (doing) => change(doing, { courseId: null, ...doing.input }),
})

/** @throws EditedMeanwhile */
export const courseRulesChange = operation({
  name: 'change-course-rules',
  right: 'manage',
  find: lockedCourse,
  input: { body, version },
  events: ['policy-changed'],
  async run(doing) {
    const { id: courseId, language, slug } = doing.subject
    return { slug, ...(await change(doing, { courseId, name: 'rules', language })) }
  },
})

async function change(
  { write, input, note }: Doing<{ body: string; version: number | null }, Subject, 'policy-changed'>,
  { courseId, name, language }: PolicyPlace,
) {
  const place = { courseId, name, language }
  const { body: before = '', version: present = 0 } = (await findPolicy(write, place)) ?? {}
  const begunWith = input.version ?? 0
  if (before === input.body && present === begunWith) return { isChanged: false }
  const outcome = await changePolicy(write, place, input.body, begunWith)
  if (outcome === 'conflict' && (await findPolicy(write, place))?.body !== input.body)
    throw new EditedMeanwhile()
  note('policy-changed', place)
  return { isChanged: true }
}

/**
 * Links to the pages that are not empty, for the footer of a course's pages, and of those of none. They are
 * read once, until one of them changes. Without the database there are none: pages that say so have a footer,
 * too.
 */
export function registerPolicyLinks(app: FastifyInstance): void {
  const cache = new ScopedCache<Awaited<ReturnType<typeof listShownPolicies>>>(app.changes, { maxSize: 1 })

  async function shownPolicies() {
    try {
      // Without a scope: a change of them touches everything.
      return await cache.find('shown', async () => ({ value: await listShownPolicies(app.db), scopes: [] }))
    } catch (error) {
      app.log.warn({ err: error }, 'the footer has no links: the database did not answer')
      return []
    }
  }

  app.decorate('policyLinks', async (course) => {
    const shown = await shownPolicies()
    const ofForum = POLICY_NAMES.filter((name) =>
      shown.some((one) => one.course === null && one.name === name),
    ).map((name) => ({ name, path: `/${name}` }) as const)
    if (course === null || !shown.some((one) => one.course === course)) return ofForum
    return [{ name: 'courseRules', path: courseRulesPath(course) }, ...ofForum]
  })
}
