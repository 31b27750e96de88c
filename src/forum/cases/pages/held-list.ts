import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageAlong, pageOf } from '../../../database/keyset.ts'
import type { Database, Role } from '../../../database/schema.ts'
import type { Actor } from '../../../kernel/rights/rights.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { languageOf } from '../../../text/language.ts'
import { excerpt } from '../../../text/plain.ts'
import { bylineOf } from '../../authors/byline.ts'
import { type SealedName, sealedName } from '../../authors/sealed-name.ts'
import { waitedFor } from '../../desk/rows.ts'
import { spammerPath } from '../../handling/spammer-path.ts'
import { heldActs } from '../../posts/held-acts.ts'
import { KINDS, type PostKind, TABLES } from '../../posts/kinds.ts'
import type { HeldFor } from '../../posts/text.ts'
import { heldIn, heldPosts } from '../../telling/held.ts'
import { subjectName } from '../subject.ts'

export interface HeldPost {
  readonly kind: PostKind
  readonly id: number
  readonly question_id: number
  readonly course_id: number
  readonly course_slug: string
  readonly title: string
  readonly audience: 'course' | 'staff'
  readonly body: string
  readonly html: string
  readonly held_at: Date
  readonly held_for: HeldFor
  readonly author_id: number
  readonly author_name: SealedName
  readonly author_role: Role | null
  readonly author_is_admin: boolean
  readonly is_anonymous: boolean
  readonly stand_in: number | null
}

/** The posts of a course, or (null) of all, that wait to be let through: those of the longest wait first. */
export async function listHeld(
  db: Database,
  courseId: number | null,
  request: PageRequest,
  size: number,
): Promise<Page<HeldPost>> {
  const { beyond, order } = pageAlong('held.held_at', 'held.id', 'time', request, 'smallest')
  const { rows } = await sql<HeldPost>`
    with held as materialized (
      select * from (${ofQueue(courseId)}) as held
      where ${beyond} order by ${order} limit ${size + 1})
    select held.*, q.title, q.audience, course.slug as course_slug, post.body, post.body_html as html, post.is_anonymous,
      ${sealedName('author.display_name')} as author_name, member.role as author_role, author.is_admin as author_is_admin, stand_in.number as stand_in
    from held
    join questions as q on q.id = held.question_id
    join courses as course on course.id = held.course_id
    join people as author on author.id = held.author_id
    left join course_members as member on member.course_id = held.course_id and member.person_id = held.author_id
    left join stand_ins as stand_in on stand_in.question_id = held.question_id and stand_in.person_id = held.author_id
    cross join lateral (
      select body, body_html, is_anonymous from questions where held.kind = 'question' and id = held.id
      union all select body, body_html, is_anonymous from answers where held.kind = 'answer' and id = held.id
      union all select body, body_html, is_anonymous from replies where held.kind = 'reply' and id = held.id) as post
    order by ${order}`.execute(db)
  return pageOf(rows, size, request, (row) => row.held_at)
}

/** How many there are, as an expression of SQL. @param most more are not counted one by one */
export const heldCount = (courseId: number | null, most: number): RawBuilder<number> => sql<number>`(
  select count(*) from (select from (${ofQueue(courseId)}) as held limit ${sql.lit(most)}) as counted)::integer`

const ofQueue = (courseId: number | null) =>
  courseId === null ? heldPosts(sql`true`) : heldIn(sql`${courseId}`)

/** Beyond this a post has waited for long, in milliseconds. */
const LONG_MS = 24 * 3_600_000
const TEXT_LENGTH = 300

export const heldPath = ({ kind, id, ...row }: HeldPost) =>
  KINDS[TABLES[kind]].path({ ...row, id: row.question_id }, id)

const nameOf = ({ kind, id }: HeldPost) => subjectName({ about: kind, id })

interface HeldLook {
  readonly t: Translate
  readonly viewer: Actor
  readonly now: Date
  /** Of the queue. */
  readonly path: string
  /** Its acts on people are everywhere. */
  readonly isOfForum: boolean
}

/** A row of the queue, with its acts. @param next the row that is looked at after this one */
export function heldRow(
  row: HeldPost,
  { t, viewer, now, path, isOfForum }: HeldLook,
  next: HeldPost | undefined,
) {
  const { kind, id, title } = row
  const back = next === undefined ? path : `${path}#row-${nameOf(next)}`
  const text = excerpt(row.html, TEXT_LENGTH)
  const { text: name } = bylineOf({ t, viewer }, row, row.course_id)
  const what = t(`cases.byIn.${kind}`, { name, title })
  const author = { id: row.author_id, role: row.author_role, isAdmin: row.author_is_admin }
  const place = isOfForum ? null : { id: row.course_id, slug: row.course_slug }
  return {
    value: nameOf(row),
    ...{ path: heldPath(row), text, lang: languageOf(text) },
    wait: waitedFor(row.held_at, t, now, 'short'),
    spokenWait: waitedFor(row.held_at, t, now, 'spoken'),
    isHot: now.getTime() - row.held_at.getTime() > LONG_MS,
    reason: t(`held.for.${row.held_for}`),
    by: what,
    acts: heldActs(
      `/${TABLES[kind]}/${id}`,
      what,
      { path, rejected: back },
      spammerPath(viewer, author, place, path),
    ),
    ...{ state: null, facts: [], claimer: null, claimText: '' },
  }
}
