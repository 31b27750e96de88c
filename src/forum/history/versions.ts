import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Database, Role, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { line } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { prepareMarkdown, type RenderedText } from '../../text/markdown.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { type SealedName, sealedName } from '../authors/sealed-name.ts'
import type { Post } from '../posts/find.ts'
import { REASON } from '../posts/form.ts'
import { KINDS, ofEachKind, type PostKey, type PostTable, tagsOf, titleOf } from '../posts/kinds.ts'
import { lockEvenDeleted, SUBJECTS } from '../posts/lock.ts'
import { findQuestionSource, findTextSource } from '../posts/source.ts'
import { type Edit, type EditOutcome, editText, findKeptText, type KeptText } from '../posts/text.ts'
import { editQuestion } from '../questions/commands.ts'

/** Versions that a page lists; older ones of a post that was edited more often are reached by none. */
const MAX_VERSIONS = 200

export interface VersionRow {
  readonly version: number
  readonly is_redacted: boolean
  readonly is_shown: boolean
  readonly title: string | null
  /** null: redacted, or neither the one that is shown nor the one before it: of 200 texts that would be megabytes. */
  readonly body: string | null
  readonly tags: string[] | null
  readonly reason: string | null
  readonly written_at: Date
  readonly author_id: number
  readonly author_name: SealedName
  readonly author_role: Role | null
  /** The post's author, whose name classmates do not see; editors are named. */
  readonly is_anonymous: boolean
  readonly time_zone: string
}

/**
 * All versions of a post, the present one first.
 * @param wanted the version whose text comes, with the one before; another number: the present one; 'all':
 * all texts come
 */
export async function versionsOf(db: Database, post: PostKey & { courseId: number }, wanted: number | 'all') {
  const isWanted = wanted === 'all' ? sql`true` : sql`listed.place - shown.place in (0, 1)`
  const column = sql.ref(KINDS[post.table].column)
  const { rows } = await sql<VersionRow>`
    with texts as (
      select version, title, body, tags, reason, written_by, written_at from post_versions where ${column} = ${post.id}
      union all
      select version, ${titleOf(post.table)}, body, ${tagsOf(post.table)}, edit_reason, coalesce(edited_by, author_id), coalesce(edited_at, written_at)
      from ${sql.table(post.table)} as post where id = ${post.id}
    ),
    listed as (
      select version, row_number() over (order by version desc) as place from texts order by version desc limit ${MAX_VERSIONS}
    ),
    shown as (select coalesce((select place from listed where version = ${wanted === 'all' ? 0 : wanted}), 1) as place)
    select texts.version, texts.body is null as is_redacted, listed.place = shown.place as is_shown,
      texts.title, case when ${isWanted} then texts.body end as body, texts.tags, texts.reason, texts.written_at,
      writer.id as author_id, ${sealedName('writer.display_name')} as author_name, member.role as author_role,
      post.is_anonymous and writer.id = post.author_id as is_anonymous,
      (select time_zone from courses where id = ${post.courseId})
    from texts join listed using (version) cross join shown
    join ${sql.table(post.table)} as post on post.id = ${post.id}
    join people as writer on writer.id = texts.written_by
    left join course_members as member on member.person_id = writer.id and member.course_id = ${post.courseId}
    order by texts.version desc`.execute(db)
  return rows
}

export const HISTORIES = ofEachKind(historyOf)

function historyOf(table: PostTable) {
  const [{ kind }, find] = [KINDS[table], SUBJECTS[table]]
  const findVersion = async (write: Write, { id, version }: { id: number; version: number }) => ({
    ...(await find(write, id)),
    version,
  })
  return {
    restoration: operation({
      name: `restore-version-of-${kind}`,
      right: 'decide-history',
      find: findVersion,
      input: { reason: line({ min: 1, max: REASON.max }) },
      stored: async (db, { id, version }) => [(await findKeptText(db, { table, id }, version))?.body ?? ''],
      events: ['post-edited'],
      async run({ write, actor, subject, input: { reason }, note }) {
        const { id, authorId, version } = subject
        const person = personOf(actor)
        const by = { actorId: person.id, reason }
        const outcome = await restoreVersion(write, { ...subject, table }, version, by)
        if (outcome === 'done' && person.id !== authorId) note('post-edited', { kind, id, authorId })
        return outcome
      },
    }),
    redaction: operation({
      name: `redact-version-of-${kind}`,
      right: 'decide-history',
      find: findVersion,
      events: ['version-redacted'],
      async run({ write, actor, subject, note }) {
        const { id, authorId, version } = subject
        const isDone = await redactVersion(write, { ...subject, table }, version, personOf(actor).id)
        if (isDone) note('version-redacted', { kind, id, authorId })
        return { isDone }
      },
    }),
  }
}

type HistoricPost = Post & Pick<PostKey, 'table'>

/**
 * Makes an earlier version the text of a post again, as an edit that can be undone like any other. Its
 * question is locked.
 * @returns 'unknown' when there is no such version, or it was redacted; 'same' when it says what the post
 * says now: nothing is changed
 */
async function restoreVersion(
  write: Write,
  post: HistoricPost,
  version: number,
  by: { readonly actorId: number; readonly reason: string },
): Promise<'done' | 'same' | 'unknown'> {
  const kept = await findKeptText(write, post, version)
  if (kept === null) return 'unknown'
  const now = await presentText(write, post)
  if (isDeepStrictEqual(kept, now.text)) return 'same'
  const [body] = await prepareMarkdown([kept.body])
  const edit = { ...by, isRestoration: true as const, version: now.version }
  return (await edited(write, post, { ...kept, body }, edit)) === 'done' ? 'done' : 'unknown'
}

async function presentText(write: Write, { table, id }: PostKey) {
  if (table === 'questions') {
    const { title, body, tags, version } = await findQuestionSource(write, id)
    return { version, text: { title, body, tags } }
  }
  const { body, version } = await findTextSource(write, table, id)
  return { version, text: { title: null, body, tags: null } }
}

async function edited(
  write: Write,
  post: HistoricPost,
  { title, body, tags }: Omit<KeptText, 'body'> & { readonly body: RenderedText },
  edit: Edit,
): Promise<EditOutcome> {
  if (post.table !== 'questions') return editText(write, post.table, post, { ...edit, body, isByStaff: true })
  const { category_id: categoryId, lecture_id: lectureId } = await write
    .selectFrom('questions')
    .select(['category_id', 'lecture_id'])
    .where('id', '=', post.id)
    .executeTakeFirstOrThrow()
  // What was a tag then may be written otherwise now.
  const names = [...new Set((tags ?? []).map(tagNameOf))]
  const content = { title: title ?? post.title, body, tags: names, categoryId, lectureId }
  return editQuestion(write, post.id, content, edit)
}

/**
 * Removes the text of an earlier version for good; who wrote when stays. Pictures that nothing but this
 * version showed go too.
 * @returns false when there is no such version, or it was redacted before
 */
async function redactVersion(write: Write, post: HistoricPost, version: number, actorId: number) {
  const column = sql.ref(KINDS[post.table].column)
  await lockEvenDeleted(write, post.questionId)
  const { numAffectedRows } = await sql`
    update post_versions
    set title = null, body = null, tags = null, reason = null, redacted_at = now(), redacted_by = ${actorId}
    where ${column} = ${post.id} and version = ${version} and redacted_at is null`.execute(write)
  await sql`
    delete from post_images using images
    where images.id = post_images.image_id and post_images.${column} = ${post.id} and not post_images.is_shown
      and not exists (
        select from post_versions as kept
        where kept.${column} = ${post.id} and position(images.name in kept.body) > 0)`.execute(write)
  return Number(numAffectedRows ?? 0) > 0
}
