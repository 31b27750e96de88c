import { type RawBuilder, sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { RENDERER_VERSION, type RenderedText } from '../../text/markdown.ts'
import { callsStaff } from '../../text/mentions.ts'
import { picturesIn } from '../../text/picture-address.ts'
import { joinCourse } from '../courses/commands.ts'
import { endDraft } from '../drafts/draft.ts'
import { indexQuestions, queueForSearch } from '../search/index-question.ts'
import { notifyOfAnswer, notifyOfReply } from '../telling/tell-posts.ts'
import { writtenNow } from './find.ts'
import {
  type BelowTable,
  KINDS,
  type PostKey,
  type PostTable,
  questionIdOf,
  tagsOf,
  titleOf,
} from './kinds.ts'
import { type LockedQuestion, lockEvenDeleted } from './lock.ts'
import { changeMentions, noteMentions } from './mentions.ts'

export function renderedBody({ source: body, html }: RenderedText) {
  return { body, body_html: html, renderer_version: RENDERER_VERSION, calls_staff: callsStaff(html) }
}

export function editedBy({ actorId, reason = null }: Edit) {
  return { edited_at: sql<Date>`now()`, edited_by: actorId, edit_reason: reason }
}

/** Why a post waits to be let through, as the constraint questions_held_for_known has it. */
export const HELD_FOR = [
  'all',
  'newcomers',
  'unconfirmed',
  'hosts',
  'same-text',
  'words',
  'links',
  'address',
  'hidden-field',
  'reports',
  'service',
  'source',
] as const satisfies Row<'questions'>['held_for'][]
export type HeldFor = (typeof HELD_FOR)[number]

/** Those that a course chose, or that somebody said of the post; a machine noticed the others in it. */
const UNNOTICED: readonly HeldFor[] = ['all', 'newcomers', 'unconfirmed', 'reports', 'source']
export const SIGNALS = HELD_FOR.filter((why) => !UNNOTICED.includes(why))

export type EditOutcome = 'done' | 'conflict'

interface TextEdit extends Edit {
  readonly body: RenderedText
  /** undefined: the author's name is as hidden as before. */
  readonly isAnonymous?: boolean
  /** Staff answer for what they write: an endorsed answer stays so. What others change has to be read again. */
  readonly isByStaff: boolean
}

export async function editText(
  write: Write,
  table: BelowTable,
  post: { readonly id: number; readonly questionId: number },
  edit: TextEdit,
): Promise<EditOutcome> {
  await lockEvenDeleted(write, post.questionId)
  const rendered = renderedBody(edit.body)
  await keepVersion(write, { table, id: post.id }, rendered, edit)
  const changed = await write
    .updateTable(table)
    .set({ ...rendered, ...editedBy(edit), version: sql`version + 1` })
    .$if(edit.isAnonymous !== undefined, (update) => update.set({ is_anonymous: edit.isAnonymous }))
    .$if(table === 'answers' && !edit.isByStaff, (update) =>
      update.set({ endorsed_by: null, endorsed_at: null }),
    )
    .where('id', '=', post.id)
    .where('deleted_at', 'is', null)
    .where('version', '=', edit.version)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) return 'conflict'
  await notePictures(write, { table, id: post.id }, rendered.body_html, edit.actorId)
  await changeMentions(write, { table, ...post }, rendered.body_html, edit.actorId)
  await indexQuestions(write, [post.questionId])
  if (!edit.isRestoration) await endDraft(write, edit.actorId, `/${table}/${post.id}/edit`, rendered)
  return 'done'
}

export interface Authorship {
  readonly authorId: number
  readonly isAnonymous?: boolean
  readonly isMember?: boolean
  /** Why it waits to be let through; null, or left out: it does not. */
  readonly heldFor?: HeldFor | null
}

/** Columns of a new post that waits from its first moment on, when `held_at` is when it was written. */
export const heldColumns = (heldFor: HeldFor | null | undefined, writtenAt: RawBuilder<Date>) =>
  heldFor == null ? {} : { held_for: heldFor, held_at: sql<Date>`${writtenAt}::timestamptz(3)` }

/**
 * Notes what a new post brings with it, in the transaction that inserted it: pictures, and, unless it is held, mentions, and its
 * author as a learner of the course where they are not in it, unless it is without their name.
 * @param question that it is, or is under
 */
export async function notePost(
  write: Write,
  question: { readonly id: number; readonly courseId: number },
  { table, id, bodyHtml }: PostKey & { readonly bodyHtml: string },
  { authorId, isAnonymous = false, isMember = false, heldFor = null }: Authorship,
): Promise<void> {
  if (picturesIn(bodyHtml).length > 0) await notePictures(write, { table, id }, bodyHtml, authorId)
  if (heldFor !== null) return
  if (!isAnonymous && !isMember) await joinCourse(write, question.courseId, authorId)
  await noteMentions(write, { table, id, questionId: question.id }, bodyHtml)
}

type NewAnswer = Authorship & { readonly body: RenderedText }
/** `answerId` null: under the question itself. */
type NewReply = NewAnswer & { readonly answerId: number | null }

/** Posts an answer to a question, which is locked, as its author is. @returns its id */
export const writeAnswer = (write: Write, question: LockedQuestion, answer: NewAnswer): Promise<number> =>
  writeBelow(write, question, 'answers', answer, {})

/** Posts a reply under a shown answer or under the question, which is locked, as its author is. @returns its id */
export const writeReply = (write: Write, question: LockedQuestion, reply: NewReply): Promise<number> =>
  writeBelow(write, question, 'replies', reply, { answer_id: reply.answerId })

async function writeBelow(
  write: Write,
  question: LockedQuestion,
  table: BelowTable,
  { body, ...author }: NewAnswer,
  place: { readonly answer_id?: number | null },
): Promise<number> {
  const { authorId, isAnonymous = false, heldFor = null } = author
  const at = writtenNow(question.id)
  const written = {
    author_id: authorId,
    is_anonymous: isAnonymous,
    written_at: at,
    ...heldColumns(heldFor, at),
  }
  const { id } = await write
    .insertInto(table)
    .values({ question_id: question.id, ...written, ...renderedBody(body), ...place })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notePost(write, question, { table, id, bodyHtml: body.html }, author)
  const told = { id, questionId: question.id, authorId }
  if (heldFor !== null) return id
  await (table === 'answers' ? notifyOfAnswer : notifyOfReply)(write, told)
  await queueForSearch(write, question.id)
  return id
}

export interface Edit {
  readonly actorId: number
  readonly version: number
  /** Why, in the editor's words. */
  readonly reason?: string | null
  /** It brings an earlier version back: the one that it replaces is kept in any case. */
  readonly isRestoration?: true
}

/** Minutes after writing a text during which its author mends it without a trace, while nobody has seen it. */
const MENDING_MINUTES = 5

/**
 * Keeps the text that an edit is about to replace, in the edit's transaction, after the question was locked. Nothing is kept where
 * the text stays the same, and of a text that its own writer mends before anybody has seen it.
 * @param next what the edit makes of the post; title and tags: of a question
 */
export async function keepVersion(
  write: Write,
  post: PostKey,
  next: { readonly title?: string; readonly body: string; readonly tags?: readonly string[] },
  edit: Edit,
): Promise<void> {
  const column = sql.ref(KINDS[post.table].column)
  const isQuestion = post.table === 'questions'
  const tags = tagsOf(post.table)
  const isSame = isQuestion
    ? sql`post.title = ${next.title ?? ''} and post.body = ${next.body} and ${tags} = ${next.tags ?? []}::text[]`
    : sql`post.body = ${next.body}`
  await sql`
    insert into post_versions (${column}, version, title, body, tags, written_by, written_at, reason)
    select post.id, post.version, ${titleOf(post.table)}, post.body,
      ${tags}, coalesce(post.edited_by, post.author_id),
      coalesce(post.edited_at, post.written_at), post.edit_reason
    from ${sql.table(post.table)} as post
    where post.id = ${post.id} and post.version = ${edit.version} and post.deleted_at is null and not (${isSame}) and not (
      ${edit.isRestoration !== true} and coalesce(post.edited_by, post.author_id) = ${edit.actorId}
      and coalesce(post.edited_at, post.written_at) > now() - ${MENDING_MINUTES} * interval '1 minute'
      and not exists (
        select from question_views as seen
        where seen.question_id = ${questionIdOf(post.table)}
        and seen.seen_at >= coalesce(post.edited_at, post.written_at)))`.execute(write)
}

export type KeptText = NonNullable<Awaited<ReturnType<typeof findKeptText>>>

/** What a post said in a version that was kept and not redacted; null: there is none. */
export async function findKeptText(db: Database, post: PostKey, version: number) {
  const row = await db
    .selectFrom('post_versions')
    .select(['title', 'body', 'tags'])
    .where(KINDS[post.table].column, '=', post.id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (row === undefined || row.body === null) return null
  return { ...row, body: row.body }
}

/**
 * Notes which pictures a post shows, in the transaction that writes it. New ones are its writer's own uploads: showing somebody
 * else's picture gives nobody a right to it. One that the post no longer shows stays with its earlier versions.
 * @param post or an announcement, which shows pictures too. @param html of it
 */
export async function notePictures(
  write: Write,
  post: { readonly table: PostTable | 'announcements'; readonly id: number },
  html: string,
  writerId: number,
): Promise<void> {
  const column = sql.ref(post.table === 'announcements' ? 'announcement_id' : KINDS[post.table].column)
  const names = picturesIn(html)
  await sql`
    update post_images set is_shown = (
      select images.name = any(${names}) from images where images.id = post_images.image_id)
    where ${column} = ${post.id}`.execute(write)
  if (names.length === 0) return
  // Locked against the sweep, which takes what no post shows.
  await sql`
    insert into post_images (image_id, ${column})
    select id, ${post.id} from images where name = any(${names}) and uploader_id = ${writerId} for key share
    on conflict on constraint post_images_key do nothing`.execute(write)
}
