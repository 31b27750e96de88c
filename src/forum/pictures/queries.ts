import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { NeedsSignIn, Problem } from '../../operations/problem.ts'
import type { Actor } from '../../rights/rights.ts'
import { visibleTo } from '../../rights/visibility.ts'
import { isHandledByPerson, joinHandler } from '../handling/handlers.ts'
import { findAnswer, findQuestion, findReply } from '../posts/find.ts'

export interface StoredPicture {
  readonly id: number
  readonly name: string
  readonly fallback: 'png' | 'jpg' | 'gif'
  readonly bytes: number
}

/** Posts that are looked at for whether one may see their picture; a picture stands in one, seldom in more. */
const MAX_POSTS = 10

/**
 * A picture as its viewer may see it: who may read a post that shows it, or restore one that is deleted; who may edit one that
 * showed it earlier; who may handle a case about it; before any post shows it, its uploader. null: there is none, for this viewer.
 */
export async function findPicture(
  db: Database,
  name: string,
  viewer: Actor | null,
): Promise<StoredPicture | null> {
  const picture = await db
    .selectFrom('images')
    .select(['id', 'name', 'fallback', 'bytes', 'uploader_id'])
    .where('name', '=', name)
    .executeTakeFirst()
  if (picture === undefined) return null
  const posts = await db
    .selectFrom('post_images')
    .select(['question_id', 'answer_id', 'reply_id', 'announcement_id', 'is_shown'])
    .where('image_id', '=', picture.id)
    .orderBy('is_shown', 'desc')
    .orderBy('question_id')
    .limit(MAX_POSTS)
    .execute()
  const isOwn = viewer !== null && picture.uploader_id === viewer.id
  if (posts.length === 0 && isOwn) return picture
  for (const post of posts) if (await isSeenIn(db, post, viewer)) return picture
  return (await isSeenInCase(db, picture.id, viewer)) ? picture : null
}

interface ShowingPost {
  readonly question_id: number | null
  readonly answer_id: number | null
  readonly reply_id: number | null
  readonly announcement_id: number | null
  readonly is_shown: boolean
}

async function isSeenIn(db: Database, post: ShowingPost, viewer: Actor | null): Promise<boolean> {
  if (post.announcement_id !== null) return isAnnouncedTo(db, post.announcement_id, post.is_shown, viewer)
  if (!post.is_shown) return mayDo(db, post, viewer, 'edit')
  return (await mayDo(db, post, viewer, 'read')) || (await mayDo(db, post, viewer, 'restore'))
}

async function mayDo(
  db: Database,
  { question_id, answer_id, reply_id }: ShowingPost,
  viewer: Actor | null,
  act: 'read' | 'edit' | 'restore',
): Promise<boolean> {
  try {
    if (question_id !== null) await findQuestion(db, viewer, question_id, act)
    else if (answer_id !== null) await findAnswer(db, viewer, answer_id, act)
    else await findReply(db, viewer, reply_id ?? 0, act)
    return true
  } catch (error) {
    if (error instanceof Problem || error instanceof NeedsSignIn) return false
    throw error
  }
}

/** Finds a picture of a case, for people who may handle the case. */
async function isSeenInCase(db: Database, imageId: number, viewer: Actor | null): Promise<boolean> {
  if (viewer === null || viewer.owesSecondFactor === true) return false
  const { rows } = await sql`
    select from case_images join cases as matter on matter.id = case_images.case_id
    join people as person on person.id = ${viewer.id} ${joinHandler}
    where case_images.image_id = ${imageId} and ${isHandledByPerson} limit 1`.execute(db)
  return rows.length > 0
}

/** Whoever may read the course reads its announcements; those who write them also see what one showed earlier. */
async function isAnnouncedTo(
  db: Database,
  id: number,
  isShown: boolean,
  viewer: Actor | null,
): Promise<boolean> {
  const found = await db
    .selectFrom('announcements as news')
    .innerJoin('courses as course', 'course.id', 'news.course_id')
    .select('news.id')
    .where('news.id', '=', id)
    .where(visibleTo(viewer, isShown ? 'read' : 'announce'))
    .executeTakeFirst()
  return found !== undefined
}
