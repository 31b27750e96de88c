import { authorOf } from './authors.ts'
import { batches, insertRows } from './bulk.ts'
import type { CourseImport } from './course-import.ts'
import { type DumpPost, findImported, type NewPost, startPosts } from './import-batch.ts'
import { ANSWER, bodyLength } from './import-questions.ts'
import { importedBody } from './post-markdown.ts'
import { findSources, noteLaterChanges, stageRows, stageThreads } from './staging.ts'

interface DumpAnswer extends DumpPost {
  readonly parentId: number
}

/** Imports the answers in a second pass over Posts.xml: an answer may precede its question. */
export async function importAnswers(course: CourseImport): Promise<void> {
  for await (const batch of batches(answersOf(course), ({ row }) => bodyLength(row))) {
    const questions = await findImported(
      course.write,
      course.courseId,
      'question',
      batch.map(({ parentId }) => parentId),
    )
    const kept = batch.filter(({ parentId }) => questions.get(parentId) != null)
    const removed = batch.filter(({ parentId }) => questions.get(parentId) === null)
    await skipOrphans(course, 'its question was removed here', removed)
    await skipOrphans(
      course,
      'its question is not in the dump',
      batch.filter(({ parentId }) => !questions.has(parentId)),
    )
    const answers = await startPosts(course, 'answer', kept, (known) =>
      noteLaterChanges(course, 'answers', known),
    )
    const sources = await findSources(
      course.write,
      answers.map(({ sourceId }) => sourceId),
    )
    const rows = await Promise.all(
      answers.map((answer) =>
        answerRow(course, answer, questions.get(answer.parentId) ?? 0, sources.get(answer.sourceId) ?? null),
      ),
    )
    await insertRows(course.write, 'answers', rows)
    await stageThreads(course.write, rows)
  }
}

async function* answersOf({ dump }: CourseImport): AsyncGenerator<DumpAnswer> {
  for await (const row of dump.rows('posts')) {
    if (row.id('PostTypeId') !== ANSWER) continue
    const author = authorOf(row, 'Owner', row.time('CreationDate'))
    yield { sourceId: row.id('Id'), parentId: row.id('ParentId'), author, row }
  }
}

async function skipOrphans(
  { write, tally }: CourseImport,
  why: string,
  orphans: readonly DumpAnswer[],
): Promise<void> {
  tally.skipped('answers', why, orphans.length)
  await stageRows(
    write,
    'dump_other_posts',
    orphans.map(({ sourceId }) => ({ source_id: sourceId })),
  )
}

async function answerRow(
  { tally }: CourseImport,
  { id, authorId, row }: NewPost<DumpAnswer>,
  questionId: number,
  source: string | null,
) {
  const score = row.count('Score')
  return {
    id,
    question_id: questionId,
    author_id: authorId,
    ...(await importedBody(row.text('Body') ?? '', source, tally)),
    votes_count: score,
    imported_votes_count: score,
    written_at: row.time('CreationDate'),
    edited_at: row.optionalTime('LastEditDate'),
    version: 1,
  }
}
