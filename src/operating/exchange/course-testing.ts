import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import sharp from 'sharp'
import type { Database } from '../../database/schema.ts'
import { fileStore } from '../../forum/pictures/store.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { anAnnouncement, deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { addRow, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { exportCourse } from './course-export.ts'
import { fileOf, LINE_KINDS, LINES, type Line, type LineKind } from './format.ts'

export const BASE_URL = 'https://forum.example'
/** A word that only what must not be in an export has. */
export const CANARY = 'Zyxcanary'

/** A folder that is removed after the test. */
export async function aFolder(test: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handup-exchange-'))
  atEnd(test, () => rm(folder, { recursive: true }))
  return folder
}

/**
 * A course with one of everything that an export has, and what it must not have, which says CANARY.
 * @param folder of its pictures
 */
export async function aWholeCourse(db: Database, folder: string) {
  const course = await aCourse(db, {
    ...{ slug: 'rest', title: 'REST', lectures: ['Verbs', 'Codes'], categories: ['Homework'] },
  })
  const person = (displayName: string) =>
    aPerson(db, { displayName, email: `${displayName.toLowerCase()}@example.org` })
  const [mina, jun, shy, gone] = [
    await person('Mina'),
    await person('Jun'),
    await person('Shy'),
    await person('Gone'),
  ]
  const staff = await aMember(db, course, 'instructor', await person('Kim'))
  const silent = await aMember(db, course, 'learner', await person(`${CANARY}silent`))
  const other = await aQuestion(db, { title: 'Elsewhere in the forum' })
  const question = await aQuestion(db, {
    ...{
      course,
      author: mina,
      title: 'Which code says created?',
      tags: ['http', 'status'],
      views: 3,
      votes: 2,
    },
    lectureId: course.lectureIds[1] ?? 0,
    writtenAt: new Date('2026-02-01T01:00:00.123Z'),
  })
  const picture = await aPicture(db, folder, { questionId: question.id, uploaderId: mina.id })
  const answer = await anAnswer(db, {
    question,
    author: jun,
    isAccepted: true,
    votes: 1,
    body: 'It is **201**.',
  })
  await setRows(db, 'answers', answer.id, { endorsed_at: new Date(), endorsed_by: staff.id })
  const reply = await aReply(db, { answer, author: shy, isAnonymous: true, body: 'Thanks, says Shy.' })
  const hidden = await aQuestion(db, {
    course,
    author: shy,
    title: 'Anonymous to classmates',
    isAnonymous: true,
  })
  // Whoever wrote the earlier answer is the second without a name.
  const first = await anAnswer(db, { question: hidden, author: jun, isAnonymous: true })
  await aReply(db, { question: hidden, author: mina, isAnonymous: true })
  await setRows(db, 'stand_ins', { question_id: hidden.id, person_id: shy.id }, { number: 9 })
  await setRows(db, 'stand_ins', { question_id: hidden.id, person_id: jun.id }, { number: 1 })
  const left = await aQuestion(db, { course, author: gone, title: 'Anonymous, and gone', isAnonymous: true })
  const named = await anAnswer(db, { question: left, author: gone, body: 'By somebody who left.' })
  await setRows(db, 'people', gone.id, {
    ...{ left_at: new Date(), email: null, email_confirmed_at: null, display_name: 'Former member' },
  })
  const secret = await aQuestion(db, { course, author: mina, title: 'Only for staff', audience: 'staff' })
  const held = await aQuestion(db, { course, author: mina, title: 'Waits for review' })
  await setRows(db, 'questions', held.id, { held_at: new Date(), held_for: 'links' })
  await setRows(db, 'replies', reply.id, { hidden_at: new Date() })
  const duplicate = await aQuestion(db, { course, author: jun, title: 'The same once more' })
  await setRows(db, 'questions', duplicate.id, { duplicate_of: question.id, duplicate_by: staff.id })
  const closed = await aQuestion(db, { course, author: jun, title: 'Off topic here' })
  await setRows(db, 'questions', closed.id, { answers_closed_at: new Date(), closing_reason: 'off-topic' })
  const body = [
    `See #${closed.id} and #${other.id}, ${BASE_URL}/questions/${duplicate.id}/the-same#answer-${answer.id},`,
    `[there](/questions/${question.id}/x#answer-${answer.id}), [out](/questions/${other.id}/x),`,
    `@[Jun](person:${jun.id}) and @[${CANARY}](person:999999). \`#${closed.id}\` is code.`,
    '',
    `![mina-screenshot.png](/uploads/${picture})`,
    '',
    '```',
    `#${closed.id} @[Jun](person:${jun.id})`,
    '```',
  ].join('\n')
  await setRows(db, 'questions', question.id, {
    body,
    version: 3,
    edited_at: new Date(),
    edited_by: staff.id,
  })
  const links = [
    `[\`code\`](/questions/${question.id} "t"), [a [b]](/questions/${closed.id}), [Jun](/people/${jun.id}), [own](exchange:question/none), [![x](/uploads/${picture})](/questions/${question.id}),`,
    `[below][1] and [away][2], \`a\`#${closed.id}.`,
    '',
    `[1]: /questions/${question.id}#answer-${answer.id}`,
    `[2]: /questions/${other.id}`,
  ].join('\n')
  await setRows(db, 'questions', duplicate.id, { body: links })
  await db
    .insertInto('post_versions')
    .values(
      [
        {
          question_id: question.id,
          version: 1,
          written_by: mina.id,
          redacted_at: new Date(),
          redacted_by: staff.id,
        },
        {
          ...{
            question_id: question.id,
            version: 2,
            written_by: mina.id,
            title: 'Which code?',
            tags: ['http'],
          },
          ...{ body: `The second text ![was](/uploads/${picture})`, reason: 'clearer' },
        },
      ].map((row) => ({ written_at: new Date('2026-02-01T02:00:00Z'), ...row })),
    )
    .execute()
  await addRow(db, 'pins', {
    question_id: question.id,
    course_id: course.id,
    until: new Date(Date.now() + 86_400_000),
    pinned_by: staff.id,
  })
  await anAnnouncement(db, {
    courseId: course.id,
    authorId: staff.id,
    title: 'The room',
    body: 'Another one.',
  })
  await addRow(db, 'faq_entries', {
    course_id: course.id,
    question_id: question.id,
    position: 1,
    state: 'shown',
  })
  await setRows(db, 'courses', course.id, {
    ...{ hold: 'newcomers', asks_about_code: 5, agents: 'nobody', accent: 'plum' },
  })
  await addRow(db, 'policies', { course_id: course.id, name: 'rules', language: 'en', body: '## Be kind' })
  await sql`
    update course_tags set description = 'The protocol' where description = '' and tag_id = (select id from tags where name = 'http')`.execute(
    db,
  )
  await sql`
    insert into tag_aliases (course_id, name, tag_id)
    select ${course.id}, 'web', id from tags where name = 'http'`.execute(db)
  await addCanaries(db, { course, question, silent, staff })
  return {
    ...{ course, mina, jun, shy, gone, staff, silent, other, picture },
    ...{ question, answer, reply, hidden, first, left, named, secret, held, duplicate, closed },
  }
}

type Whole = Awaited<ReturnType<typeof aWholeCourse>>

/** What is never in an export. */
async function addCanaries(
  db: Database,
  { course, question, silent, staff }: Pick<Whole, 'course' | 'question' | 'silent' | 'staff'>,
): Promise<void> {
  const deleted = await aQuestion(db, { course, title: `${CANARY} is deleted` })
  await anAnswer(db, { question: deleted, body: `${CANARY} below it` })
  await within(db, deleteQuestion, deleted.id)
  const gone = await anAnswer(db, { question, body: `${CANARY} was answered` })
  await aReply(db, { answer: gone, body: `${CANARY} below that` })
  await within(db, deleteAnswer, question.id, gone.id)
  await addRow(db, 'saved_answers', { course_id: course.id, title: CANARY, body: CANARY })
  await addRow(db, 'drafts', {
    person_id: silent.id,
    place: '/courses/rest/ask',
    fields: JSON.stringify({ body: CANARY }),
  })
  await addRow(db, 'question_follows', { question_id: question.id, person_id: silent.id })
  await setRows(
    db,
    'question_desk',
    { question_id: question.id },
    { assignee_id: silent.id, assigned_by: staff.id, assigned_at: new Date() },
  )
  await sql`
    insert into api_tokens (token_hash, person_id, course_id, name, scopes, ends_at)
    values (sha256('canary'), ${silent.id}, null, ${CANARY}, '{read}', now() + interval '1 day')`.execute(db)
  await sql`
    insert into webhooks (course_id, owner_id, kind, address, shown_address, secret, types)
    values (${course.id}, ${silent.id}, 'standard', 'sealed', ${CANARY}, 'secret', '{question.created}')`.execute(
    db,
  )
  await sql`
    with matter as (
      insert into cases (subject, question_id, course_id, is_reported, text_version, reason, note, opened_by)
      values ('question-' || ${question.id}::text, ${question.id}, ${course.id}, true, '1', 'rude', ${CANARY}, ${silent.id}) returning id)
    insert into reports (case_id, person_id, is_by_visitor, language, text_version, reason, note)
    select id, ${silent.id}, false, 'en', '1', 'rude', ${CANARY} from matter`.execute(db)
}

/** A small picture that a question shows. @returns its name */
async function aPicture(
  db: Database,
  folder: string,
  { questionId, uploaderId }: { questionId: number; uploaderId: number },
) {
  const name = `${'p'.repeat(22)}-30x20`
  const content = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  for (const file of [`${name}.png`, `${name}.webp`]) await fileStore(folder).put(file, content)
  const picture = { name, uploader_id: uploaderId, sha256: Buffer.alloc(32), fallback: 'png' } as const
  const { id } = await db
    .insertInto('images')
    .values({ ...picture, bytes: content.length, alt: 'mina.png' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addRow(db, 'post_images', { image_id: id, question_id: questionId, is_shown: true })
  return name
}

/** Exports a course, and reads what was written. */
export async function exportedFrom(
  db: Database,
  { pictures, path, isPseudonymous = false }: { pictures: string; path: string; isPseudonymous?: boolean },
) {
  const counts = await exportCourse(db, fileStore(pictures), {
    slug: 'rest',
    path,
    baseUrl: BASE_URL,
    isPseudonymous,
  })
  return { counts, ...(await readExport(path)) }
}

/** All lines of an export by file, each as its schema has it. */
export async function readExport(path: string) {
  const texts: string[] = [await readFile(join(path, 'course.json'), 'utf8')]
  const lines: Partial<Record<LineKind, unknown[]>> = {}
  for (const kind of LINE_KINDS) {
    const text = await readFile(join(path, fileOf(kind)), 'utf8')
    texts.push(text)
    lines[kind] = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => LINES[kind].parse(JSON.parse(line)))
  }
  return { text: texts.join(''), lines: lines as { [Kind in LineKind]: Line<Kind>[] } }
}
