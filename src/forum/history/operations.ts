import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { line } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { prepareMarkdown, type RenderedText } from '../../text/markdown.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import type { Post } from '../posts/find.ts'
import { REASON } from '../posts/form.ts'
import { KINDS, ofEachKind, type PostKey, type PostTable } from '../posts/kinds.ts'
import { lockEvenDeleted, SUBJECTS } from '../posts/lock.ts'
import { findQuestionSource, findTextSource } from '../posts/source.ts'
import { type Edit, type EditOutcome, editText, findKeptText, type KeptText } from '../posts/text.ts'
import { editQuestion } from '../questions/commands.ts'

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
    /** @returns whether there was a text to remove */
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
 * Makes an earlier version the text of a post again, as an edit that can be undone like any other. Its question is locked.
 * @returns 'unknown' when there is no such version, or it was redacted; 'same' when it says what the post says now: nothing is changed
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
 * Removes the text of an earlier version for good; who wrote when stays. Pictures that nothing but this version showed go too.
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
