import { type RawBuilder, sql } from 'kysely'
import type { Audience, Database, Role } from '../../../database/schema.ts'
import type { Actor } from '../../../kernel/rights/rights.ts'
import { type Hiding, hidingOf, isThere } from '../../../kernel/rights/visibility.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { languageOf } from '../../../text/language.ts'
import { excerpt } from '../../../text/plain.ts'
import { pathWith } from '../../../web/paths.ts'
import { bylineOf } from '../../authors/byline.ts'
import { type SealedName, sealedName } from '../../authors/sealed-name.ts'
import {
  KINDS,
  ofEveryKind,
  POST_TABLES,
  type PostKind,
  type PostTable,
  TABLES,
  withQuestion,
} from '../../posts/kinds.ts'
import { postKeyOf, type Subject, subjectName } from '../subject.ts'

/** Posts that are listed, as many as one bulk act takes. */
export const MOST_LISTED = 100
const TEXT_LENGTH = 160

interface ListedPost {
  readonly kind: PostKind
  readonly id: number
  readonly question_id: number
  readonly course_id: number
  readonly audience: Audience
  /** Of its question; null: that is deleted, and nobody is told its title any more. */
  readonly title: string | null
  readonly html: string
  readonly written_at: Date
  readonly hiding: Hiding | null
  readonly author_id: number
  readonly author_name: SealedName
  readonly author_role: Role | null
  readonly is_anonymous: boolean
  /** How many there are, listed or not. */
  readonly total: number
}

/**
 * The newest posts that aren't deleted, for staff who read all that is in their course: private, held and hidden ones, too.
 * @param which of the aliases `post` and `q`, its question
 * @param courseId null: of all courses
 */
async function listPosts(
  db: Database,
  courseId: number | null,
  which: (table: PostTable) => RawBuilder<unknown>,
): Promise<readonly ListedPost[]> {
  const kinds = ofEveryKind(
    (table) => sql`
    select ${sql.lit(KINDS[table].kind)} as kind, post.id, q.id as question_id, q.course_id, post.author_id, post.written_at
    from ${withQuestion(table)}
    where post.deleted_at is null and ${isThere('post')} and ${which(table)} and (${courseId}::bigint is null or q.course_id = ${courseId}::bigint)`,
  )
  const texts = POST_TABLES.map(
    (table) => sql`
    select body_html as html, is_anonymous, ${hidingOf('post')} as hiding from ${sql.table(table)} as post
    where listed.kind = ${sql.lit(KINDS[table].kind)} and post.id = listed.id`,
  )
  const { rows } = await sql<ListedPost>`
    with listed as materialized (
      select *, count(*) over ()::integer as total from (${kinds}) as post
      order by written_at desc, id desc limit ${MOST_LISTED})
    select listed.*, q.audience, case when q.deleted_at is null then q.title end as title, text.html, text.is_anonymous, text.hiding,
      ${sealedName('author.display_name')} as author_name, member.role as author_role
    from listed
    join questions as q on q.id = listed.question_id
    join people as author on author.id = listed.author_id
    left join course_members as member on member.course_id = listed.course_id and member.person_id = listed.author_id
    cross join lateral (${sql.join(texts, sql` union all `)}) as text
    order by listed.written_at desc, listed.id desc`.execute(db)
  return rows
}

/**
 * The newest other posts of the person whom a case is about. Uses indexes questions_of_author, answers_of_author and replies_author.
 * @param subject of the case
 */
export function otherPosts(db: Database, courseId: number | null, personId: number, subject: Subject) {
  const own = postKeyOf(subject)
  return listPosts(
    db,
    courseId,
    (table) => sql`post.author_id = ${personId} and post.id <> ${own?.table === table ? own.id : 0}::bigint`,
  )
}

/** Posts by their names, such as 'answer-12'. */
export function namedPosts(db: Database, courseId: number | null, subjects: readonly Subject[]) {
  const idsOf = (table: PostTable) =>
    subjects.filter(({ about }) => about === KINDS[table].kind).map(({ id }) => id)
  return listPosts(db, courseId, (table) => sql`post.id = any(${idsOf(table)}::bigint[])`)
}

/** A post that can be selected: views/cases/_other-posts.eta and views/bulk/form.eta. */
export function listedPost(
  row: ListedPost,
  { t, viewer, timeZone }: { readonly t: Translate; readonly viewer: Actor; readonly timeZone: string },
) {
  const { kind, id, title } = row
  const text = excerpt(row.html, TEXT_LENGTH)
  const { text: name } = bylineOf({ t, viewer }, row, row.course_id)
  const question = { id: row.question_id, title: title ?? '', audience: row.audience }
  return {
    value: subjectName({ about: kind, id }),
    path: KINDS[TABLES[kind]].path(question, id),
    text,
    lang: languageOf(text),
    by: title === null ? t(`cases.by.${kind}`, { name }) : t(`cases.byIn.${kind}`, { name, title }),
    at: writtenMoment(row.written_at, timeZone, t),
    states: [
      ...(row.hiding === null ? [] : [t(`posts.hiding.${row.hiding}`)]),
      ...(row.audience === 'staff' ? [t('audience.private')] : []),
    ],
  }
}

/** The other posts of the author of a case; null: there are none. @param queue the path of the case's queue */
export function othersView(
  rows: readonly ListedPost[],
  name: string,
  queue: string,
  look: Parameters<typeof listedPost>[1],
) {
  const { t } = look
  const [first] = rows
  if (first === undefined) return null
  const { total: count } = first
  const action = `${queue}/bulk`
  const posts = rows.map((row) => listedPost(row, look))
  return {
    title: t('cases.others', { count, name }),
    note: count > rows.length ? t('cases.others.newest', { count: rows.length }) : null,
    posts,
    bulk: { action, field: 'post', acts: ['delete', 'spammer'] },
    // Where no script selects all: what is done with all of them, chosen.
    allPath: pathWith(action, { act: 'delete', post: posts.map(({ value }) => value).join(' ') }),
  }
}
