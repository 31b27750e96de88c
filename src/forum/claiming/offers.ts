import { type RawBuilder, sql } from 'kysely'
import { offeredPeople } from '../../accounts/address/imported-address.ts'
import { UNDO_DAYS } from '../../accounts/deletion/leave.ts'
import type { Database, Language, Write } from '../../database/schema.ts'
import { isReadableByLearner, isThere } from '../../kernel/rights/visibility.ts'

/** Offers on the page: with a decision the next comes. */
const MAX_OFFERS = 20
/** Posts of each kind that are looked at, and titles that are named. */
const MAX_POSTS = 10_000
export const MAX_TITLES = 5

/** What an import brought under the address of an account. */
export interface Offer {
  /** Of the unclaimed person. */
  readonly id: number
  readonly name: string
  readonly courses: readonly {
    readonly title: string
    readonly language: Language
    readonly source: string
  }[]
  /** MAX_TITLES at most, of the newest. */
  readonly titles: readonly string[]
  readonly questionsCount: number
  /** MAX_POSTS of each kind at most. */
  readonly postsCount: number
}

/**
 * What is offered to an account: of posts that are held or hidden, private or anonymous, those that are the unclaimed person's own. Uses
 * indexes imported_addresses_email, imported_people_person, questions_of_author, answers_of_author and replies_author.
 */
export async function listOffers(db: Database, accountId: number): Promise<Offer[]> {
  const { rows } = await sql<Offer>`
    select person.id, person.display_name as name, come.courses, coalesce(wrote.titles, '{}') as titles,
      coalesce(wrote.questions, 0)::integer as "questionsCount", coalesce(wrote.posts, 0)::integer as "postsCount"
    from ${offeredPeople}
    cross join lateral (
      select json_agg(json_build_object('title', course.title, 'language', course.language, 'source', kept.source) order by course.id)
          as courses, array_agg(course.id) as ids
      from imported_people as kept join courses as course on course.id = kept.course_id
      where kept.person_id = person.id
        and not exists (select from course_deletions as deletion where deletion.course_id = course.id)
    ) as come
    left join lateral (
      select sum(thread.posts) as posts, count(*) as questions,
        (array_agg(thread.title order by thread.latest desc, thread.id desc))[1:${sql.lit(MAX_TITLES)}] as titles
      from (
        select id, title, count(*) as posts, max(written_at) as latest from (${postsOfPerson}) as post group by id, title
      ) as thread
    ) as wrote on true
    where account.id = ${accountId} order by person.id limit ${sql.lit(MAX_OFFERS)}`.execute(db)
  return rows
}

/** Posts of `person` in the courses `come` that they may read there, with the titles of their questions. */
const postsOfPerson: RawBuilder<unknown> = sql.join(
  (['questions', 'answers', 'replies'] as const).map((table) => {
    const isQuestion = table === 'questions'
    const post = isQuestion ? 'q' : 'post'
    const source = isQuestion
      ? sql`questions as q`
      : sql`${sql.table(table)} as post join questions as q on q.id = post.question_id`
    const parent =
      table === 'replies'
        ? sql`and (post.answer_id is null or exists (select from answers as above where above.id = post.answer_id
            and (above.is_shown or above.author_id = person.id and above.deleted_at is null)))`
        : sql``
    return sql`(select q.id, q.title, ${sql.ref(`${post}.written_at`)} from ${source}
      where ${sql.ref(`${post}.author_id`)} = person.id and ${sql.ref(`${post}.deleted_at`)} is null and ${isThere(post)}
        and q.course_id = any(come.ids) and ${isReadableByLearner} ${parent}
      order by ${sql.ref(`${post}.written_at`)} desc limit ${sql.lit(MAX_POSTS)})`
  }),
  sql` union all `,
)

/** Whether the merge of alias `merged` is a claim by the account of this id, which can be undone. */
const isClaimOf = (accountId: number) => sql`merged.into_id = ${accountId} and merged.merged_by = ${accountId}
  and merged.former is not null and merged.merged_at >= now() - ${UNDO_DAYS} * interval '1 day'
  and exists (select from people as person where person.id = merged.from_id and person.is_unclaimed)`

export interface Claimed {
  readonly id: number
  readonly name: string
  readonly undoableUntil: Date
  /** Another merge into the account has to be undone first. */
  readonly hasNewer: boolean
}

/** What an account claimed in the last days, newest first. Index account_merges_into. */
export async function listClaimed(db: Database, accountId: number): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`
    select merged.from_id as id, merged.former ->> 'display_name' as name,
      merged.merged_at + ${UNDO_DAYS} * interval '1 day' as "undoableUntil",
      exists (select from account_merges as newer where newer.into_id = merged.into_id and newer.id > merged.id) as "hasNewer"
    from account_merges as merged where ${isClaimOf(accountId)} order by merged.id desc limit ${sql.lit(MAX_OFFERS)}`.execute(
    db,
  )
  return rows
}

/** Whether what an unclaimed person wrote is offered to an account, or was claimed by it; null: neither. */
export async function stateOfOffer(
  write: Write,
  accountId: number,
  personId: number,
): Promise<'offered' | 'claimed' | null> {
  const { rows } = await sql<{ state: 'offered' | 'claimed' }>`
    select 'offered' as state from ${offeredPeople} where account.id = ${accountId} and person.id = ${personId}
    union all
    select 'claimed' from account_merges as merged where merged.from_id = ${personId} and ${isClaimOf(accountId)}`.execute(
    write,
  )
  return rows[0]?.state ?? null
}
