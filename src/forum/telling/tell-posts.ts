import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { isRepliedTo } from './fresh.ts'
import { keyOf, mentionedBy } from './mentions.ts'
import { type MentioningPost, notify, onePerson, type Recipients, staffToNotify } from './notify.ts'
import { markRead, noteReadUntil } from './read.ts'

interface NewPost {
  readonly id: number
  readonly questionId: number
  readonly authorId: number
}

const STAFF = staffToNotify(sql`asked.course_id`, sql`asked.author_id`)

const watchersOfCourse = (id: number) => sql`(
  select follow.person_id from questions as asked
  join course_follows as follow on follow.course_id = asked.course_id and follow.is_followed where asked.id = ${id}
  union all
  select staff.person_id from questions as asked
  cross join lateral ${STAFF} as staff where asked.id = ${id} and staff.follows
  union all
  select staff.person_id from questions as asked
  cross join lateral (select person_id from ${STAFF} as staff order by role = 'instructor' desc, person_id limit 1) as staff
  where asked.id = ${id} and not exists (select from ${STAFF} as staff where follows))`

/**
 * Tells of a new question: those who follow its course, its lecture or one of its tags, and staff unless they said otherwise. Where
 * all staff did, the first of the course's instructors is told: every question reaches somebody who is to answer.
 */
export async function notifyOfQuestion(write: Write, { id, authorId }: Omit<NewPost, 'questionId'>) {
  await notifyOfPost(
    write,
    { questionId: id },
    authorId,
    sql`
      select person_id, 'question' as reason from ${watchersOfCourse(id)} as watching
      union all
      select follow.person_id, 'question' from questions as asked
      join lecture_follows as follow on follow.lecture_id = asked.lecture_id where asked.id = ${id}
      union all
      select follow.person_id, 'question' from question_tags as tagged
      join tag_follows as follow on follow.tag_id = tagged.tag_id where tagged.question_id = ${id}`,
  )
}

/** Tells that a question moved to the course that it is in: those who follow the course or the question, and whom a post there mentions. */
export async function notifyOfMove(write: Write, questionId: number, actorId: number): Promise<void> {
  await notify(
    write,
    { questionId, actorId, at: sql<Date>`clock_timestamp()` },
    sql`
      select person_id, 'moved' as reason from (
        select person_id from ${watchersOfCourse(questionId)} as watching
        union all select person_id from question_follows where question_id = ${questionId} and level = 'follow'
        union all select person_id from mentions where question_id = ${questionId}
          or answer_id in (select id from answers where question_id = ${questionId})
          or reply_id in (select id from replies where question_id = ${questionId})) as hearing`,
  )
}

export const notifyOfAnswer = (write: Write, { id, questionId, authorId }: NewPost) =>
  notifyOfPost(
    write,
    { questionId, answerId: id },
    authorId,
    sql`
      select follow.person_id, case when follow.person_id = asked.author_id then 'answered' else 'followed' end as reason
      from questions as asked join question_follows as follow on follow.question_id = asked.id and follow.level = 'follow'
      where asked.id = ${questionId}`,
  )

/** Tells of a reply: whose post it is under and who replied there before, and all others who follow the question. */
export const notifyOfReply = (write: Write, { id, questionId, authorId }: NewPost) =>
  notifyOfPost(
    write,
    { questionId, replyId: id },
    authorId,
    sql`
      select follow.person_id, case when ${isRepliedTo(sql`follow.person_id`)} then 'reply' else 'followed' end as reason
      from replies as post
      join questions as q on q.id = post.question_id
      left join answers as parent on parent.id = post.answer_id
      join question_follows as follow on follow.question_id = q.id and follow.level = 'follow'
      where post.id = ${id}`,
  )

/** Who writes follows the question, and has read it up to then. @param followers who is told beside those whom the post mentions */
async function notifyOfPost(
  write: Write,
  post: MentioningPost,
  actorId: number,
  followers: Recipients,
): Promise<void> {
  const { table, id } = keyOf(post)
  const at = sql<Date>`(select written_at from ${table} where id = ${id})`
  await followOwn(write, post.questionId, actorId)
  await notify(write, { ...post, actorId, at }, sql`${followers} union all ${mentionedBy(post)}`)
  const isQuestion = post.answerId === undefined && post.replyId === undefined
  await (isQuestion ? noteReadUntil : markRead)(write, post.questionId, actorId, at)
}

/** Tells the author of an answer that it is accepted or endorsed. @param actorId null: nobody who is known */
export async function notifyAuthor(
  write: Write,
  reason: 'accepted' | 'endorsed',
  questionId: number,
  answerId: number,
  actorId: number | null,
): Promise<void> {
  const happening = { questionId, answerId, actorId, at: sql<Date>`clock_timestamp()` }
  await notify(write, happening, onePerson(sql`select author_id from answers where id = ${answerId}`, reason))
}

/** Tells the author of an answer that it was a reply, or the reverse. @param post where it is now */
export async function notifyOfConversion(
  write: Write,
  post: MentioningPost,
  authorId: number,
  actorId: number,
): Promise<void> {
  const happening = { ...post, actorId, at: sql<Date>`clock_timestamp()` }
  await notify(write, happening, onePerson(authorId, 'converted'))
}

/** A person who writes in a question follows it from then on; a question that they muted stays mute. */
export async function followOwn(write: Write, questionId: number, personId: number): Promise<void> {
  await sql`
    insert into question_follows (question_id, person_id) values (${questionId}, ${personId})
    on conflict do nothing`.execute(write)
}
