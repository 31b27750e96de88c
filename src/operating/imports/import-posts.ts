import { batches, insertRows } from '../foreign/bulk.ts'
import { cleanLine } from '../foreign/clean-text.ts'
import { importedTag } from '../foreign/imported-tag.ts'
import { questionTitle } from '../foreign/question-title.ts'
import { authorOf } from './authors.ts'
import type { CourseImport } from './course-import.ts'
import type { DumpRow } from './dump.ts'
import { type DumpPost, findImported, type NewPost, startPosts } from './import-batch.ts'
import { importedBody } from './post-markdown.ts'
import { findSources, noteLaterChanges, stageAccepted, stageRows, stageThreads } from './staging.ts'

/** PostTypeId. */
const QUESTION = 1
const ANSWER = 2
const OTHER_POSTS = new Map([
  [3, 'tag wiki without a tag'],
  [4, 'tag wiki excerpt'],
  [5, 'tag wiki'],
  [6, 'moderator nomination'],
  [7, 'wiki placeholder'],
  [8, 'privilege wiki'],
])

/** Imports the questions of Posts.xml, and tallies rows of other post types. */
export async function importQuestions(course: CourseImport): Promise<void> {
  for await (const batch of batches(course.dump.rows('posts'), bodyLength)) {
    await skipOthers(course, batch)
    const questions = await startPosts(
      course,
      'question',
      batch.filter(isQuestion).map(questionOf),
      async (known) => {
        await noteLaterChanges(course, 'questions', known)
        await stageAccepted(course, known, false)
      },
    )
    const sources = await findSources(
      course.write,
      questions.map(({ sourceId }) => sourceId),
    )
    const rows = await Promise.all(
      questions.map((question) => questionRow(course, question, sources.get(question.sourceId) ?? null)),
    )
    await insertRows(course.write, 'questions', rows)
    await stageParts(course, questions)
  }
}

/** Approximate length of a row of Posts.xml in characters. */
function bodyLength(row: DumpRow): number {
  return row.text('Body')?.length ?? 0
}

async function skipOthers({ write, tally }: CourseImport, batch: readonly DumpRow[]): Promise<void> {
  const others = batch.filter((row) => !isQuestion(row) && row.id('PostTypeId') !== ANSWER)
  for (const row of others) {
    const type = row.id('PostTypeId')
    tally.skipped('other posts', OTHER_POSTS.get(type) ?? `post of type ${type}`)
  }
  await stageRows(
    write,
    'dump_other_posts',
    others.map((row) => ({ source_id: row.id('Id') })),
  )
}

function isQuestion(row: DumpRow): boolean {
  return row.id('PostTypeId') === QUESTION
}

function questionOf(row: DumpRow): DumpPost {
  return { sourceId: row.id('Id'), author: authorOf(row, 'Owner', row.time('CreationDate')), row }
}

async function questionRow(
  course: CourseImport,
  { id, authorId, sourceId, row }: NewPost<DumpPost>,
  source: string | null,
) {
  const { title, fullTitle } = questionTitle(row.text('Title') ?? '', String(sourceId))
  if (fullTitle !== null) course.tally.note('titles cut to 150 characters, and kept whole above the text')
  const score = row.count('Score')
  const writtenAt = row.time('CreationDate')
  return {
    id,
    course_id: course.courseId,
    category_id: course.categoryId,
    author_id: authorId,
    title,
    ...(await importedBody(row.text('Body') ?? '', source, course.tally, fullTitle)),
    votes_count: score,
    imported_votes_count: score,
    views_count: Math.max(0, row.count('ViewCount')),
    written_at: writtenAt,
    edited_at: row.optionalTime('LastEditDate'),
    active_at: row.optionalTime('LastActivityDate') ?? writtenAt,
    status: 'unresolved' as const,
    answers_count: 0,
    version: 1,
  }
}

/**
 * Tags and accepted answers are set at the end: locks that other transactions wait for are held briefly, and the
 * answers exist by then.
 */
async function stageParts(course: CourseImport, questions: readonly NewPost<DumpPost>[]): Promise<void> {
  const { write, tally } = course
  await stageRows(
    write,
    'dump_threads',
    questions.map(({ id }) => ({ question_id: id, is_new: true })),
  )
  const tags = questions.flatMap(({ id, row }) =>
    tagsOf(row.text('Tags') ?? '').map((name, index) => ({ question_id: id, position: index + 1, name })),
  )
  await stageRows(write, 'dump_question_tags', tags)
  await stageAccepted(course, questions, true)
  tally.note(
    'questions that were closed, which are open here',
    questions.filter(({ row }) => row.text('ClosedDate') !== null).length,
  )
}

/** Converts a dump's tags, `<java><c#>` or `|java|c#|`, to tags of the forum, without duplicates. */
function tagsOf(text: string): string[] {
  const names = cleanLine(text)
    .split(/[<>|]+/)
    .map(importedTag)
    .filter((name) => name !== '')
  return [...new Set(names)]
}

interface DumpAnswer extends DumpPost {
  readonly parentId: number
}

/** Imports the answers in a second pass over Posts.xml: an answer may precede its question. */
export async function importAnswers(course: CourseImport): Promise<void> {
  for await (const batch of batches(answersOf(course), ({ row }) => bodyLength(row))) {
    const questions = await findImported(
      course,
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
