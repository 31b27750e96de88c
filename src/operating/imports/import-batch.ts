import type { Schema } from '../../database/schema.ts'
import { insertRows, takeIds } from '../foreign/bulk.ts'
import { type Author, peopleOf } from './authors.ts'
import { type CourseImport, SOURCE } from './course-import.ts'
import type { DumpRow } from './dump.ts'
import { stageRows } from './staging.ts'

export interface DumpPost {
  readonly sourceId: number
  readonly author: Author
  readonly row: DumpRow
}

/** A post of the dump that is new here, with the id reserved for it. */
export type NewPost<Post extends DumpPost> = Post & { readonly id: number; readonly authorId: number }

type PostKind = Schema['imported_posts']['kind']

const TABLES = { question: 'questions', answer: 'answers', reply: 'replies' } as const

/**
 * Selects the new posts of a batch, creates their authors, reserves ids and records them. The caller inserts the posts.
 * @param onKnown gets the others that are still there
 */
export async function startPosts<Post extends DumpPost>(
  course: CourseImport,
  postKind: PostKind,
  batch: readonly Post[],
  onKnown: (posts: readonly (Post & { readonly id: number })[]) => Promise<void> = async () => {},
): Promise<NewPost<Post>[]> {
  const { write, tally } = course
  const kind = TABLES[postKind]
  const bySource = new Map(batch.map((post) => [post.sourceId, post]))
  tally.skipped(kind, 'twice in the dump', batch.length - bySource.size)
  const before = await findImported(course, postKind, [...bySource.keys()])
  const known = [...bySource.values()].flatMap((post) => {
    const id = before.get(post.sourceId)
    return id == null ? [] : [{ ...post, id }]
  })
  tally.skipped(kind, 'imported before', known.length)
  tally.skipped(kind, 'removed here', before.size - known.length)
  await onKnown(known)
  const people = await peopleOf(
    course,
    batch.map(({ author }) => author),
  )
  const fresh = [...bySource.values()].filter(({ sourceId }) => !before.has(sourceId))
  const ids = await takeIds(write, kind, fresh.length)
  const posts = fresh.flatMap((post, index) => {
    const [id, authorId] = [ids[index], people.get(post.author.sourceId)]
    return id === undefined || authorId === undefined ? [] : [{ ...post, id, authorId }]
  })
  await rememberImported(course, postKind, posts)
  await stageRows(
    write,
    'dump_authors',
    posts.map(({ authorId }) => ({ person_id: authorId })),
  )
  tally.imported(kind, posts.length)
  return posts
}

const COLUMNS = { question: 'question_id', answer: 'answer_id', reply: 'reply_id' } as const

/** The rows of the dump that this course has already: source id → post id; null: the post was removed here for good. */
export async function findImported(
  { write, courseId, origin }: CourseImport,
  kind: PostKind,
  sourceIds: readonly number[],
): Promise<Map<number, number | null>> {
  if (sourceIds.length === 0) return new Map()
  const rows = await write
    .selectFrom('imported_posts')
    .select(['external_id', `${COLUMNS[kind]} as post_id`])
    .where('course_id', '=', courseId)
    .where('source', '=', SOURCE)
    .where('origin', '=', origin)
    .where('kind', '=', kind)
    .where('external_id', 'in', [...new Set(sourceIds)].map(String))
    .execute()
  return new Map(rows.map((row) => [Number(row.external_id), row.post_id]))
}

function rememberImported(
  { write, courseId, origin }: CourseImport,
  kind: PostKind,
  posts: readonly { readonly sourceId: number; readonly id: number }[],
): Promise<void> {
  const rows = posts.map(({ sourceId, id }) => ({
    ...{ course_id: courseId, source: SOURCE, origin, kind, external_id: String(sourceId) },
    [COLUMNS[kind]]: id,
  }))
  return insertRows(write, 'imported_posts', rows)
}
