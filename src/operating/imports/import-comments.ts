import { sql } from 'kysely'
import { renderedBody } from '../../forum/posts/text.ts'
import { isBlank } from '../../text/characters.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { batches, insertRows } from '../foreign/bulk.ts'
import { cleanText } from '../foreign/clean-text.ts'
import { plainly, withoutBlocks } from '../foreign/literally.ts'
import { formulaOrText, mapCode, mapTex } from '../foreign/tex.ts'
import { authorOf } from './authors.ts'
import { type CourseImport, SOURCE } from './course-import.ts'
import { type DumpPost, startPosts } from './import-batch.ts'
import { stageThreads } from './staging.ts'

interface DumpComment extends DumpPost {
  readonly postId: number
  readonly text: string
}

/** Imports Comments.xml as replies to their answers and questions. */
export async function importComments(course: CourseImport): Promise<void> {
  for await (const batch of batches(commentsOf(course), ({ text }) => text.length)) {
    const places = await placesOf(
      course,
      batch.map(({ postId }) => postId),
    )
    await skipWithoutPlace(
      course,
      batch.filter(({ postId }) => !places.has(postId)),
    )
    const kept = batch.filter(({ postId }) => places.has(postId))
    const blank = kept.filter(({ text }) => isBlank(text))
    course.tally.skipped('replies', 'without text', blank.length)
    const replies = await startPosts(
      course,
      'reply',
      kept.filter((comment) => !blank.includes(comment)),
    )
    const rows = await Promise.all(
      replies.map(async ({ id, authorId, postId, text, author }) => {
        const [body] = await prepareMarkdown([commentMarkdown(text)])
        return {
          id,
          question_id: places.get(postId)?.question_id ?? 0,
          answer_id: places.get(postId)?.answer_id ?? null,
          author_id: authorId,
          ...renderedBody(body),
          written_at: author.wroteAt,
          version: 1,
          is_imported: true,
        }
      }),
    )
    await insertRows(course.write, 'replies', rows)
    await stageThreads(course.write, rows)
    course.tally.note('replies that had votes, which replies here have not', replies.filter(hadVotes).length)
  }
}

function hadVotes({ row }: DumpComment): boolean {
  return row.count('Score') > 0
}

async function* commentsOf({ dump }: CourseImport): AsyncGenerator<DumpComment> {
  for await (const row of dump.rows('comments')) {
    const author = authorOf(row, '', row.time('CreationDate'))
    yield {
      sourceId: row.id('Id'),
      postId: row.id('PostId'),
      text: cleanText(row.text('Text') ?? '').trim(),
      author,
      row,
    }
  }
}

/** The parents of replies; `answer_id` null: the question. */
async function placesOf({ write, courseId, origin }: CourseImport, postIds: readonly number[]) {
  const { rows } = await sql<{ source_id: number; question_id: number; answer_id: number | null }>`
    select post.external_id::bigint as source_id, coalesce(answer.question_id, post.question_id) as question_id, post.answer_id
    from imported_posts as post left join answers as answer on answer.id = post.answer_id
    where post.course_id = ${courseId} and post.source = ${SOURCE} and post.origin = ${origin} and post.kind <> 'reply' and num_nonnulls(post.question_id, post.answer_id) = 1
    and post.external_id = any(${[...new Set(postIds)]}::text[])`.execute(write)
  return new Map(rows.map(({ source_id, ...place }) => [source_id, place]))
}

async function skipWithoutPlace(
  { write, tally }: CourseImport,
  comments: readonly DumpComment[],
): Promise<void> {
  if (comments.length === 0) return
  const { rows } = await sql<{ source_id: number }>`
    select source_id from dump_other_posts where source_id = any(${comments.map(({ postId }) => postId)}::bigint[])`.execute(
    write,
  )
  const others = new Set(rows.map((row) => row.source_id))
  const onOthers = comments.filter(({ postId }) => others.has(postId)).length
  tally.skipped('replies', 'its post was not imported', onOthers)
  tally.skipped('replies', 'its post is not in the dump', comments.length - onOthers)
}

/** Kept as typed: escaped delimiters, and URLs of links or in running text. */
const KEPT = /\\[*_`[\]]|\]\(https?:\/\/[^\s)]*(?:\s+"[^"\n]*")?\)|https?:\/\/[^\s<>)\]]+/g

/**
 * Converts a comment to the forum's Markdown. In comments, Stack Exchange supports only **bold**, _italic_, `code` and
 * [links](…), so everything else that is Markdown here is escaped: lists, quotes, headings, HTML references.
 */
export function commentMarkdown(text: string): string {
  const lines = text.replace(/^[ \t]+/gm, '')
  return withoutBlocks(mapCode(lines, (code) => code, prose))
}

function prose(text: string): string {
  return mapTex(text, formulaOrText, (words) => {
    let from = 0
    const pieces = Array.from(words.matchAll(KEPT), ({ 0: kept, index }) => {
      const before = plain(words.slice(from, index))
      from = index + kept.length
      return before + kept
    })
    return pieces.join('') + plain(words.slice(from))
  })
}

/** In a comment, an image is an exclamation mark and a link. */
function plain(text: string): string {
  return plainly(text).replace(/!(?=\[)/g, '\\!')
}
