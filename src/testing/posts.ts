import type { Audience, Database, Status, Write } from '../database/schema.ts'
import { announce, type NewAnnouncement } from '../forum/announcements/announcement.ts'
import { setAcceptance } from '../forum/answers/acceptance.ts'
import { lockQuestion } from '../forum/posts/lock.ts'
import { deletePost, restorePost } from '../forum/posts/removal.ts'
import { setResolution } from '../forum/posts/resolution.ts'
import { writeAnswer, writeReply } from '../forum/posts/text.ts'
import { castVote, type Votable } from '../forum/posts/vote.ts'
import { writeQuestion } from '../forum/questions/commands.ts'
import { indexQueued } from '../forum/search/index-question.ts'
import { prepareMarkdown, type RenderedText } from '../text/markdown.ts'
import { aCourse, type MadeCourse } from './courses.ts'
import { aPerson } from './people.ts'
import { setRows } from './rows.ts'
import { within } from './within.ts'

interface PostOptions {
  readonly author?: { readonly id: number }
  readonly body?: string
  readonly writtenAt?: Date
  readonly isAnonymous?: boolean
}

export interface QuestionOptions extends PostOptions {
  readonly course?: MadeCourse
  readonly title?: string
  readonly audience?: Audience
  readonly tags?: readonly string[]
  readonly lectureId?: number
  readonly categoryId?: number
  readonly status?: Status
  /** The number of people who vote for it. */
  readonly votes?: number
  readonly views?: number
  /** The number of its answers, each by another person. */
  readonly answers?: number
}

export interface MadeQuestion {
  readonly id: number
  readonly title: string
  readonly courseId: number
  readonly authorId: number
}

export interface AnswerOptions extends PostOptions {
  readonly question?: MadeQuestion
  readonly isAccepted?: boolean
  readonly votes?: number
}

export interface MadeAnswer {
  readonly id: number
  readonly authorId: number
  readonly question: MadeQuestion
}

export interface ReplyOptions extends PostOptions {
  /** Its parent; a new question's new answer by default. */
  readonly answer?: MadeAnswer
  readonly question?: MadeQuestion
}

let made = 0

/** Markdown as operations are handed it. */
export async function aText(source: string): Promise<RenderedText> {
  const [text] = await prepareMarkdown([source])
  return text
}

/** Something that staff told a course. @returns its id */
export async function anAnnouncement(
  db: Database,
  {
    body,
    correctsId = null,
    ...news
  }: Omit<NewAnnouncement, 'body' | 'correctsId'> & {
    readonly body: string
    readonly correctsId?: number | null
  },
): Promise<number> {
  const text = await aText(body)
  const id = await db.transaction().execute((write) => announce(write, { ...news, body: text, correctsId }))
  if (id === null) throw new Error('there is no such announcement to correct')
  return id
}

/** A question; creates its course and author by default. */
export async function aQuestion(db: Database, options: QuestionOptions = {}): Promise<MadeQuestion> {
  made += 1
  const course = options.course ?? (await aCourse(db))
  const author = options.author ?? (await aPerson(db))
  const title = options.title ?? `Question ${made}: why does the client need a token?`
  const content = {
    title,
    body: await aText(options.body ?? 'It works without one on my machine.'),
    tags: options.tags ?? [],
    audience: options.audience ?? 'course',
    isAnonymous: options.isAnonymous ?? false,
  }
  const place = { categoryId: options.categoryId ?? course.categoryId, lectureId: options.lectureId ?? null }
  const id = await db
    .transaction()
    .execute((write) =>
      writeQuestion(write, { ...content, ...place, courseId: course.id, authorId: author.id }),
    )
  const question = { id, title, courseId: course.id, authorId: author.id }
  await dressQuestion(db, question, options)
  return question
}

/** An answer; creates its question and author by default. */
export async function anAnswer(db: Database, options: AnswerOptions = {}): Promise<MadeAnswer> {
  const question = options.question ?? (await aQuestion(db))
  const author = options.author ?? (await aPerson(db))
  const body = await aText(options.body ?? 'The server compares it with the one in the cookie.')
  const { isAnonymous = false, writtenAt } = options
  const id = await db
    .transaction()
    .execute(async (write) =>
      writeAnswer(write, await lockQuestion(write, question.id), { authorId: author.id, body, isAnonymous }),
    )
  await indexQueued(db)
  if (writtenAt !== undefined) await setRows(db, 'answers', id, { written_at: writtenAt })
  await voteBy(db, { kind: 'answer', id }, options.votes ?? 0)
  if (options.isAccepted === true) await within(db, setAcceptance, question.id, id, true)
  return { id, authorId: author.id, question }
}

/** A reply to an answer or to a question. */
export async function aReply(
  db: Database,
  options: ReplyOptions = {},
): Promise<{ id: number; authorId: number }> {
  const answer = options.answer ?? (options.question === undefined ? await anAnswer(db) : null)
  const question = answer?.question ?? options.question ?? (await aQuestion(db))
  const author = options.author ?? (await aPerson(db))
  const body = await aText(options.body ?? 'Thank you, that is what I looked for.')
  const id = await db.transaction().execute(async (write) =>
    writeReply(write, await lockQuestion(write, question.id), {
      answerId: answer?.id ?? null,
      authorId: author.id,
      body,
      isAnonymous: options.isAnonymous ?? false,
    }),
  )
  await indexQueued(db)
  const { writtenAt } = options
  if (writtenAt !== undefined) await setRows(db, 'replies', id, { written_at: writtenAt })
  return { id, authorId: author.id }
}

/** Deletes posts, and restores them, without an operation. */
export const deleteQuestion = (write: Write, id: number, actorId: number | null = null) =>
  deletePost(write, { table: 'questions', id }, actorId)
export const restoreQuestion = (write: Write, id: number) => restorePost(write, { table: 'questions', id })
export const [deleteAnswer, restoreAnswer] = removing('answers')
export const [deleteReply, restoreReply] = removing('replies')

function removing(table: 'answers' | 'replies') {
  return [
    (write: Write, _questionId: number, id: number, actorId: number | null = null) =>
      deletePost(write, { table, id }, actorId),
    (write: Write, _questionId: number, id: number) => restorePost(write, { table, id }),
  ] as const
}

async function dressQuestion(db: Database, question: MadeQuestion, options: QuestionOptions): Promise<void> {
  for (let answer = 0; answer < (options.answers ?? 0); answer += 1) await anAnswer(db, { question })
  await voteBy(db, { kind: 'question', id: question.id }, options.votes ?? 0)
  if (options.status !== undefined) await within(db, setResolution, question.id, options.status)
  const { views, writtenAt: at } = options
  if (views !== undefined) await setRows(db, 'questions', question.id, { views_count: views })
  if (at !== undefined) await setRows(db, 'questions', question.id, { written_at: at, active_at: at })
}

async function voteBy(db: Database, post: Votable, people: number): Promise<void> {
  for (let count = 0; count < people; count += 1) await castVote(db, post, (await aPerson(db)).id, true)
}
