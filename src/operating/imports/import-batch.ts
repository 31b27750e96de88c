import type { Schema } from '../../database/schema.ts'
import { type Author, peopleOf } from './authors.ts'
import { takeIds } from './bulk.ts'
import type { CourseImport } from './course-import.ts'
import type { DumpRow } from './dump-row.ts'
import { findImported, rememberImported } from './imported-posts.ts'
import { stageRows } from './staging.ts'
import type { Kind } from './tally.ts'

/** A row of the dump to be imported as a post. */
export interface DumpPost {
  readonly sourceId: number
  readonly author: Author
  readonly row: DumpRow
}

/** A post of the dump that is new here, with the id reserved for it. */
export type NewPost<Post extends DumpPost> = Post & { readonly id: number; readonly authorId: number }

const TABLES = {
  question: { table: 'questions', kind: 'questions' },
  answer: { table: 'answers', kind: 'answers' },
  reply: { table: 'replies', kind: 'replies' },
} as const satisfies Record<Schema['imported_posts']['kind'], { table: string; kind: Kind }>

/**
 * Selects the new posts of a batch, creates their authors, reserves ids and records them. The caller inserts the posts.
 * @param onKnown gets the others that are still there
 */
export async function startPosts<Post extends DumpPost>(
  { write, tally, courseId }: CourseImport,
  postKind: Schema['imported_posts']['kind'],
  batch: readonly Post[],
  onKnown: (posts: readonly (Post & { readonly id: number })[]) => Promise<void> = async () => {},
): Promise<NewPost<Post>[]> {
  const { table, kind } = TABLES[postKind]
  const bySource = new Map(batch.map((post) => [post.sourceId, post]))
  tally.skipped(kind, 'twice in the dump', batch.length - bySource.size)
  const before = await findImported(write, courseId, postKind, [...bySource.keys()])
  const known = [...bySource.values()].flatMap((post) => {
    const id = before.get(post.sourceId)
    return id == null ? [] : [{ ...post, id }]
  })
  tally.skipped(kind, 'imported before', known.length)
  tally.skipped(kind, 'removed here', before.size - known.length)
  await onKnown(known)
  const people = await peopleOf(
    write,
    courseId,
    batch.map(({ author }) => author),
  )
  const fresh = [...bySource.values()].filter(({ sourceId }) => !before.has(sourceId))
  const ids = await takeIds(write, table, fresh.length)
  const posts = fresh.flatMap((post, index) => {
    const [id, authorId] = [ids[index], people.get(post.author.sourceId)]
    return id === undefined || authorId === undefined ? [] : [{ ...post, id, authorId }]
  })
  await rememberImported(write, courseId, postKind, posts)
  await stageRows(
    write,
    'dump_authors',
    posts.map(({ authorId }) => ({ person_id: authorId })),
  )
  tally.imported(kind, posts.length)
  return posts
}
