import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { renderedBody } from '../../forum/posts/text.ts'
import { insertRows } from '../foreign/bulk.ts'
import { cleanLine, cleanText, cut } from '../foreign/clean-text.ts'
import { importedTag } from '../foreign/imported-tag.ts'
import { questionTitle } from '../foreign/question-title.ts'
import type { Numbered } from './folder-reader.ts'
import type { Line } from './format.ts'
import { namedBy, peopleOf, someone } from './imported-people.ts'
import { picturesFor } from './imported-pictures.ts'
import { KINDS, type PostLines, postsByKind, postsOf } from './imported-posts.ts'
import { type Destinations, importedText, picturesOf, refersToPosts, withoutOurs } from './imported-text.ts'
import type { Importing } from './post-batch.ts'

const REFERRED = /\]\(exchange:(question|answer|reply|person)\/([^\s()]{1,200})\)/g

/** Texts of a run that refer to posts, once all posts are there. */
export async function linkTexts(
  write: Write,
  importing: Importing,
  kind: PostLines,
  batch: readonly Numbered<typeof kind>[],
): Promise<void> {
  const posts = await newOf(
    write,
    importing,
    kind,
    batch.filter(({ line }) => refersToPosts(line.body)),
  )
  const destinations = await destinationsOf(
    write,
    importing,
    posts.map(({ line }) => line.body),
  )
  for (const { id, line } of posts) {
    const heading = 'title' in line ? questionTitle(line.title, line.id).fullTitle : null
    const text = await importedText(line.body, destinations, heading)
    await write
      .updateTable(kind as 'answers')
      .set(renderedBody(text))
      .where('id', '=', id)
      .execute()
  }
}

/** Acceptances, duplicates and pins of a run's questions. */
export async function linkQuestions(
  write: Write,
  importing: Importing,
  batch: readonly Numbered<'questions'>[],
): Promise<void> {
  const { run, people } = importing
  await keepLaterAcceptances(write, importing, batch)
  const questions = await newOf(write, importing, 'questions', batch)
  const answers = await postsOf(
    write,
    run,
    'answer',
    questions.flatMap(({ line }) => line.accepted_answer ?? []),
  )
  const originals = await postsOf(
    write,
    run,
    'question',
    questions.flatMap(({ line }) => line.duplicate?.of ?? []),
  )
  const staff = questions.flatMap(({ line }) =>
    [line.duplicate?.by, line.pin?.by].flatMap((id) =>
      id == null
        ? []
        : (namedBy({ person: id }, people, { writtenAt: new Date(line.written_at), place: 0 }) ?? []),
    ),
  )
  const nobody = someone(new Date())
  const needsNobody = questions.some(({ line }) => line.pin !== null && line.pin.by === null)
  const ids = await peopleOf(write, run, needsNobody ? [...staff, nobody] : staff)
  for (const { id, line } of questions) {
    const accepted = line.accepted_answer === null ? null : (answers.get(line.accepted_answer) ?? null)
    if (line.accepted_answer !== null && (accepted?.isAnswer !== true || accepted.questionId !== id))
      run.tally.note('questions whose accepted answer is not in the export')
    else if (accepted?.id != null)
      await write
        .updateTable('questions')
        .set({ accepted_answer_id: accepted.id, status: 'resolved' })
        .where('id', '=', id)
        .execute()
    const original = line.duplicate === null ? null : (originals.get(line.duplicate.of) ?? null)
    if (line.duplicate !== null && (original?.id == null || original.id === id))
      run.tally.note('duplicates of questions that are not in the export')
    else if (original?.id != null)
      await write
        .updateTable('questions')
        .set({ duplicate_of: original.id, duplicate_by: ids.get(line.duplicate?.by ?? '') ?? null })
        .where('id', '=', id)
        .execute()
    if (line.pin !== null && new Date(line.pin.until) > new Date())
      await write
        .insertInto('pins')
        .values({
          ...{ question_id: id, course_id: run.courseId, until: new Date(line.pin.until) },
          pinned_by: ids.get(line.pin.by ?? nobody.key) ?? ids.get(nobody.key) ?? 0,
        })
        .execute()
  }
}

/** What an earlier run brought is seen: an answer of it is accepted in the last step, where nobody decided otherwise here. */
async function keepLaterAcceptances(
  write: Write,
  { run }: Importing,
  batch: readonly Numbered<'questions'>[],
): Promise<void> {
  const ids = batch.flatMap(({ line }) => (line.accepted_answer === null ? [] : [line.id]))
  const posts = await postsOf(write, run, 'question', ids)
  const later = batch.flatMap(({ line: { id, accepted_answer } }) => {
    const post = posts.get(id)
    if (accepted_answer === null || post?.id == null || post.isNew) return []
    return [{ question_id: post.id, run_id: run.id, tags: [], accepted_answer }]
  })
  await insertRows(write, 'import_placings', later)
}

/** Earlier texts of a run's posts. */
export async function importVersions(
  write: Write,
  importing: Importing,
  batch: readonly Numbered<'versions'>[],
): Promise<void> {
  const { run, people } = importing
  const posts = await postsByKind(write, run, (kind) =>
    batch.flatMap(({ line }) => (line.post.kind === kind ? [line.post.id] : [])),
  )
  const named = batch.map(({ line, number }) => {
    const at = { writtenAt: new Date(line.written_at), place: number }
    const redactor = line.redacted === null ? null : line.redacted.by
    return {
      writer: namedBy(line.author, people, at) ?? someone(at.writtenAt),
      redactor:
        line.redacted === null
          ? null
          : ((redactor === null ? null : namedBy({ person: redactor }, people, at)) ?? someone(at.writtenAt)),
    }
  })
  const ids = await peopleOf(
    write,
    run,
    named.flatMap(({ writer, redactor }) => (redactor === null ? [writer] : [writer, redactor])),
  )
  const texts: { line: Line<'versions'>; id: number; writerId: number; redactorId: number | null }[] = []
  for (const [index, { line }] of batch.entries()) {
    const post = posts.get(line.post.kind)?.get(line.post.id)
    const writerId = ids.get(named[index]?.writer.key ?? '')
    const redactorId = ids.get(named[index]?.redactor?.key ?? '') ?? null
    if (post === undefined || writerId === undefined)
      run.tally.skipped('versions', 'their post is not in the export')
    else if (!post.isNew || post.id === null) run.tally.skipped('versions', 'their post was imported before')
    else texts.push({ line, id: post.id, writerId, redactorId })
  }
  const shown = texts.flatMap(({ line, writerId }) =>
    picturesOf(line.body ?? '').map((id) => [id, writerId] as const),
  )
  const pictures = await picturesFor(write, importing, new Map(shown))
  const destinations = await destinationsOf(
    write,
    importing,
    texts.flatMap(({ line }) => line.body ?? []),
  )
  for (const { line, id, ...by } of texts) {
    await insertVersion(write, line, { id }, { ...by, destinations })
    const column = sql.ref(`${line.post.kind}_id`)
    for (const file of picturesOf(line.body ?? '')) {
      const picture = pictures.get(file)
      if (picture !== undefined)
        await sql`
          insert into post_images (image_id, ${column}, is_shown) values (${picture.id}, ${id}, false)
          on conflict do nothing`.execute(write)
    }
  }
  run.tally.imported('versions', texts.length)
}

interface VersionOf {
  readonly writerId: number
  readonly redactorId: number | null
  readonly destinations: Destinations
}

async function insertVersion(
  write: Write,
  line: Line<'versions'>,
  post: { readonly id: number },
  { writerId, redactorId, destinations }: VersionOf,
): Promise<void> {
  const isRedacted = line.redacted !== null || line.body === null
  const isQuestion = line.post.kind === 'question'
  const body = isRedacted ? null : withoutOurs(cleanText(line.body ?? ''), destinations) || '-'
  const title = isRedacted || !isQuestion ? null : questionTitle(line.title ?? '', line.post.id).title
  const tags = isRedacted || !isQuestion ? null : (line.tags ?? []).map((tag) => importedTag(cleanLine(tag)))
  await sql`
    insert into post_versions (${sql.ref(`${line.post.kind}_id`)}, version, title, body, tags, written_by, written_at, reason, redacted_at, redacted_by)
    values (${post.id}, ${line.version}, ${title}, ${body}, ${tags}::text[], ${writerId}, ${line.written_at},
      ${isRedacted || line.reason === null ? null : cut(cleanLine(line.reason), 200)},
      ${isRedacted ? (line.redacted?.at ?? line.written_at) : null}, ${isRedacted ? (redactorId ?? writerId) : null})
    on conflict do nothing`.execute(write)
}

/** What texts refer to, here. */
export async function destinationsOf(
  write: Write,
  importing: Importing,
  bodies: readonly string[],
): Promise<Destinations> {
  const { run, people, files } = importing
  const referred = bodies.flatMap((body) =>
    Array.from(body.matchAll(REFERRED), ([, kind = '', id = '']) => ({ kind, id })),
  )
  const idsOf = (kind: string) => referred.flatMap((one) => (one.kind === kind ? [one.id] : []))
  const posts = await postsByKind(write, run, idsOf)
  const named = idsOf('person').flatMap(
    (id) => namedBy({ person: id }, people, { writtenAt: new Date(), place: 0 }) ?? [],
  )
  const persons = await peopleOf(write, run, named)
  const known = new Map(bodies.flatMap(picturesOf).map((id) => [id, 0] as const))
  const pictures = await picturesFor(write, importing, known, { isKept: false })
  return {
    pictureAt: (id) => files.get(id)?.url ?? null,
    callsStaff: run.source === 'handup',
    of(kind, id) {
      if (kind === 'file') return pictures.get(id)?.name ?? null
      if (kind === 'person') return persons.get(id)?.toString() ?? null
      const post = posts.get(kind)?.get(id)
      if (post?.id == null || post.questionId === null) return null
      const path = `/questions/${post.questionId}`
      return kind === 'question' ? path : `${path}#${post.isAnswer ? 'answer' : 'reply'}-${post.id}`
    },
  }
}

/** Those of a batch that this run brought. */
async function newOf<Kind extends PostLines>(
  write: Write,
  { run }: Importing,
  kind: Kind,
  batch: readonly Numbered<Kind>[],
) {
  const posts = await postsOf(
    write,
    run,
    KINDS[kind],
    batch.map(({ line }) => line.id),
  )
  return batch.flatMap(({ line }) => {
    const post = posts.get(line.id)
    return post?.isNew === true && post.id !== null ? [{ id: post.id, line }] : []
  })
}
