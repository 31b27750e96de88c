import { type RawBuilder, sql } from 'kysely'
import { isReadableByPerson } from '../../rights/readable-question.ts'

/** Whether the person of alias `person` wrote in the thread of question `q`, as `isAnonymous` says: under the name or without it. */
function wroteIn(isAnonymous: boolean): RawBuilder<boolean> {
  const isTheirs = (post: string) => {
    const alias = sql.ref(post)
    return sql`${alias}.author_id = person.id and ${alias}.is_shown and ${alias}.is_anonymous = ${sql.lit(isAnonymous)}`
  }
  return sql<boolean>`(${isTheirs('q')}
    or exists (select from answers as own where own.question_id = q.id and ${isTheirs('own')})
    or exists (select from replies as own where own.question_id = q.id and ${isTheirs('own')}))`
}

/** Whether the person of alias `person` wrote in the thread of question `q` under their name. */
export const isSpeaker: RawBuilder<boolean> = wroteIn(false)

/**
 * Whether a page may say who the person of alias `person` is where question `q` mentions them: they are in the course (`member`, of
 * joinReader) or wrote in the thread under their name. An anonymous post does not count: a mention that works because of it would
 * tell readers who wrote it.
 */
export const isOfThread: RawBuilder<boolean> = sql<boolean>`(member.person_id is not null or ${isSpeaker})`

/**
 * Whether a post of question `q` may mention the person of alias `person`, with the aliases of joinReader. Of a private question few
 * can be meant: who is there without the name is not mentioned by it.
 */
export const isMentionable: RawBuilder<boolean> = sql<boolean>`(
  person.left_at is null and ${isReadableByPerson} and ${isOfThread}
  and not (q.audience = 'staff' and ${wroteIn(true)}))`
