import { setImmediate as others } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { renderedBody } from '../../forum/posts/text.ts'
import { insertRows, takeIds } from '../foreign/bulk.ts'
import { cleanLine, cut } from '../foreign/clean-text.ts'
import { importedTag } from '../foreign/imported-tag.ts'
import { questionTitle } from '../foreign/question-title.ts'
import { keepBeside, keepStandIns, renumberAskers } from './beside-posts.ts'
import type { ExchangeFolder, Numbered } from './folder-reader.ts'
import { type Author, isOfStaff, type Line } from './format.ts'
import type { ImportRun } from './import-run.ts'
import { type Named, namedBy, peopleOf, someone } from './imported-people.ts'
import { picturesFor } from './imported-pictures.ts'
import { KINDS, type PostLines, postsOf, type Whereabouts } from './imported-posts.ts'
import { type Destinations, importedText, picturesOf } from './imported-text.ts'

/** What every batch of a run works with. */
export interface Importing {
  readonly run: ImportRun
  readonly folder: ExchangeFolder
  readonly store: PictureStore
  /** Of the export, by their ids. */
  readonly people: ReadonlyMap<string, Line<'people'>>
  readonly files: ReadonlyMap<string, Line<'files'>>
  /** The course's default category, for questions until the run is shown. */
  readonly categoryId: number
}

type PostLine<Kind extends PostLines> = Line<Kind>

/** A post that is new here, with its number in its file and where it belongs. */
interface NewPost<Kind extends PostLines> {
  readonly id: number
  readonly place: number
  readonly line: PostLine<Kind>
  readonly questionId: number
  readonly answerId: number | null
}

/** As in the constraints …_edit_reason_length. */
const MAX_REASON = 200

/**
 * Brings the posts of a batch in, held as 'import', with their authors, pictures and mentions. What the course has already stays as it is
 * now.
 */
export async function importPosts<Kind extends PostLines>(
  write: Write,
  importing: Importing,
  kind: Kind,
  batch: readonly Numbered<Kind>[],
): Promise<void> {
  const { run } = importing
  const posts = await newPosts(write, importing, kind, batch)
  const authors = posts.map((post) => authorsOf(importing, post))
  const people = await peopleOf(
    write,
    run,
    authors.flatMap(({ all }) => all),
  )
  const idOf = (named: Named | null) => (named === null ? null : (people.get(named.key) ?? null))
  const written = posts.flatMap((post, index) => {
    const authorId = idOf(authors[index]?.author ?? null)
    const [editorId, endorserId] = [
      idOf(authors[index]?.editor ?? null),
      idOf(authors[index]?.endorser ?? null),
    ]
    return authorId === null ? [] : [{ ...post, authorId, editorId, endorserId }]
  })
  const shown = new Map(
    written.flatMap(({ line, authorId }) => picturesOf(line.body).map((id) => [id, authorId] as const)),
  )
  const pictures = await picturesFor(write, importing, shown)
  const mentioned = await peopleOf(write, run, mentionsIn(importing, written))
  const destinations: Destinations = {
    of: (referred, id) => {
      if (referred === 'file') return pictures.get(id)?.name ?? null
      if (referred !== 'person') return null
      const personId = mentioned.get(id)
      return personId === undefined ? null : String(personId)
    },
    pictureAt: (id) => importing.files.get(id)?.url ?? null,
    callsStaff: run.source === 'handup',
  }
  const rows: Awaited<ReturnType<typeof rowOf>>[] = []
  for (const post of written) {
    rows.push(await rowOf(importing, kind, post, destinations))
    // The process may serve pages meanwhile.
    await others()
  }
  if (kind !== 'questions') await keepStandIns(write, written)
  await insertRows(write, kind, rows.map(({ row }) => row) as never)
  await remember(write, run, kind, written)
  if (kind === 'questions') {
    await renumberAskers(write, written)
    await keepPlacings(write, run, written as never)
  }
  await keepBeside(write, COLUMNS[kind], rows, pictures)
  run.tally.imported(kind, written.length)
}

async function newPosts<Kind extends PostLines>(
  write: Write,
  { run }: Importing,
  kind: Kind,
  batch: readonly Numbered<Kind>[],
): Promise<NewPost<Kind>[]> {
  const { tally } = run
  const byId = new Map(batch.map((one) => [one.line.id, one]))
  tally.skipped(kind, 'twice in the export', batch.length - byId.size)
  const before = await postsOf(write, run, KINDS[kind], [...byId.keys()])
  await noteChanges(write, run, kind, batch, before)
  const fresh: Omit<NewPost<Kind>, 'id'>[] = []
  const parents = await parentsOf(
    write,
    run,
    kind,
    [...byId.values()].map(({ line }) => line),
  )
  for (const { number, line } of byId.values()) {
    const [known, parent] = [before.get(line.id), parents(line)]
    if (typeof parent === 'string') tally.skipped(kind, parent)
    else if (known !== undefined) tally.skipped(kind, known.id === null ? 'removed here' : 'imported before')
    else fresh.push({ place: number, line, ...parent })
  }
  const ids = await takeIds(write, kind, fresh.length)
  return fresh.flatMap((post, index) => {
    const id = ids[index]
    return id === undefined ? [] : [{ ...post, id, questionId: kind === 'questions' ? id : post.questionId }]
  })
}

/** Which changes since an earlier import are not taken over, since they may have been made here as well: edits and scores. */
async function noteChanges<Kind extends PostLines>(
  write: Write,
  { tally }: ImportRun,
  kind: Kind,
  batch: readonly Numbered<Kind>[],
  before: ReadonlyMap<string, Whereabouts>,
): Promise<void> {
  if (kind === 'replies') return
  const known = batch.flatMap(({ line }) => {
    const id = before.get(line.id)?.id ?? null
    return id === null || !('votes' in line) ? [] : [{ id, edited_at: line.edited_at, score: line.votes }]
  })
  if (known.length === 0) return
  const { rows } = await sql<{ edited: number; scored: number }>`
    select count(*) filter (where given.edited_at > coalesce(post.edited_at, post.written_at)) as edited,
      count(*) filter (where given.score <> post.imported_votes_count) as scored
    from ${sql.table(kind)} as post
    join json_to_recordset(${JSON.stringify(known)}) as given (id bigint, edited_at timestamptz, score integer) using (id)`.execute(
    write,
  )
  tally.note(`${kind} imported before, and edited there since: edits are not taken`, rows[0]?.edited)
  tally.note(`${kind} imported before, with another score there: scores are not taken`, rows[0]?.scored)
}

/** @returns where a post belongs, or why it is left out */
async function parentsOf<Kind extends PostLines>(
  write: Write,
  run: ImportRun,
  kind: Kind,
  lines: readonly PostLine<Kind>[],
) {
  const asked = lines.flatMap((line) => ('question' in line ? [line.question] : []))
  const answered = lines.flatMap((line) => ('answer' in line && line.answer !== null ? [line.answer] : []))
  const questions = await postsOf(write, run, 'question', asked)
  const answers = await postsOf(write, run, 'answer', answered)
  return (line: PostLine<Kind>): { questionId: number; answerId: number | null } | string => {
    if (kind === 'questions' || !('question' in line)) return { questionId: 0, answerId: null }
    const question = questions.get(line.question)
    if (question === undefined) return 'its question is not in the export'
    if (question.id === null) return 'its question was removed here'
    if (!('answer' in line) || line.answer === null) return { questionId: question.id, answerId: null }
    const answer: Whereabouts | undefined = answers.get(line.answer)
    if (answer === undefined || answer.questionId !== question.id) return 'its answer is not in the export'
    if (answer.id === null) return 'its answer was removed here'
    return { questionId: question.id, answerId: answer.isAnswer ? answer.id : null }
  }
}

function authorsOf({ people }: Importing, { line, place }: { line: PostLine<PostLines>; place: number }) {
  const at = { writtenAt: new Date(line.written_at), place }
  const named = (author: Author | null) => (author === null ? null : namedBy(author, people, at))
  const author = named(line.author) ?? someone(at.writtenAt)
  const editor = named(line.editor)
  const endorsement = 'endorsement' in line ? line.endorsement : null
  const by = endorsement?.by ?? null
  const endorser =
    endorsement === null ? null : (named(by === null ? null : { person: by }) ?? someone(at.writtenAt))
  return { author, editor, endorser, all: [author, editor, endorser].filter((one) => one !== null) }
}

function mentionsIn(
  { people }: Importing,
  posts: readonly { readonly line: PostLine<PostLines> }[],
): Named[] {
  return posts.flatMap(({ line }) =>
    Array.from(line.body.matchAll(/\]\(exchange:person\/([^\s()]{1,200})\)/g), ([, id = '']) =>
      namedBy({ person: id }, people, { writtenAt: new Date(line.written_at), place: 0 }),
    ).filter((one) => one !== null),
  )
}

type Written<Kind extends PostLines> = NewPost<Kind> & {
  readonly authorId: number
  readonly editorId: number | null
  readonly endorserId: number | null
}

async function rowOf(
  importing: Importing,
  kind: PostLines,
  post: Written<PostLines>,
  destinations: Destinations,
) {
  const { line, id, authorId, editorId } = post
  const title = 'title' in line ? questionTitle(line.title, line.id) : null
  const text = await importedText(line.body, destinations, title?.fullTitle ?? null)
  if (title?.fullTitle != null)
    importing.run.tally.note('titles cut to 150 characters, and kept whole above the text')
  const row = {
    id,
    author_id: authorId,
    ...renderedBody(text),
    written_at: line.written_at,
    edited_at: line.edited_at,
    edited_by: editorId,
    edit_reason: line.edit_reason === null ? null : cut(cleanLine(line.edit_reason), MAX_REASON) || null,
    version: line.version,
    is_anonymous: 'anonymous' in line.author,
    hidden_at: line.state === 'hidden' ? line.written_at : null,
    held_at: line.written_at,
    held_for: 'import',
    is_imported: true,
    was_staff: wasStaff(importing, line.author),
    ...(kind === 'questions' ? ofQuestion(importing, line as Line<'questions'>, title?.title ?? '') : {}),
    ...(kind === 'questions' ? {} : { question_id: post.questionId }),
    ...(kind === 'answers' ? ofAnswer(line as Line<'answers'>, post.endorserId) : {}),
    ...(kind === 'replies' ? { answer_id: post.answerId } : {}),
  }
  return { row, id, html: text.html }
}

/** Their role there is a mark of what they wrote under their name, and gives none here. */
function wasStaff({ people }: Importing, author: Author): boolean {
  if (!('person' in author) || 'anonymous' in author) return false
  return isOfStaff(people.get(author.person)?.role)
}

const votesOf = ({ votes }: { readonly votes: number }) => ({
  votes_count: votes,
  imported_votes_count: votes,
})

const ofAnswer = (line: Line<'answers'>, endorserId: number | null) => ({
  ...votesOf(line),
  endorsed_at: line.endorsement?.at ?? null,
  endorsed_by: endorserId,
})

function ofQuestion({ run, categoryId }: Importing, line: Line<'questions'>, title: string) {
  return {
    ...{ course_id: run.courseId, category_id: categoryId, title, ...votesOf(line), views_count: line.views },
    audience: line.visibility === 'course' ? ('course' as const) : ('staff' as const),
    was_open: line.was_public,
    active_at: line.active_at ?? line.written_at,
    status: line.status,
    resolved_at: line.status === 'resolved' ? line.resolved_at : null,
    reopened_at: line.reopened_at,
    answers_count: 0,
    answers_closed_at: line.closed?.at ?? null,
    closing_reason: line.closed?.reason ?? null,
  }
}

const COLUMNS = { questions: 'question_id', answers: 'answer_id', replies: 'reply_id' } as const

async function remember<Kind extends PostLines>(
  write: Write,
  run: ImportRun,
  kind: Kind,
  posts: readonly Written<Kind>[],
) {
  const { courseId, source, origin, id } = run
  // What was taken back comes again.
  await sql`
    delete from imported_posts where course_id = ${courseId} and source = ${source} and origin = ${origin} and kind = ${KINDS[kind]}
      and external_id = any(${posts.map(({ line }) => line.id)}::text[])`.execute(write)
  await insertRows(
    write,
    'imported_posts',
    posts.map((post) => ({
      ...{ course_id: courseId, source, origin, kind: KINDS[kind], external_id: post.line.id },
      ...{ run_id: id, stays_held: post.line.state === 'held(source)', [COLUMNS[kind]]: post.id },
      addresses: [...new Set(post.line.addresses)],
    })),
  )
}

function keepPlacings(write: Write, run: ImportRun, posts: readonly Written<'questions'>[]) {
  return insertRows(
    write,
    'import_placings',
    posts.map(({ id, line }) => ({
      question_id: id,
      run_id: run.id,
      category: line.category,
      lecture: line.lecture,
      accepted_answer: null,
      tags: [...new Set(line.tags.map((tag) => importedTag(cleanLine(tag))).filter((tag) => tag !== ''))],
    })),
  )
}
