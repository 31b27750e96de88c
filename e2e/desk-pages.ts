import type { Page } from 'playwright/test'
import { setEndorsement } from '../src/forum/answers/endorsement.ts'
import { assignQuestion } from '../src/forum/desk/assignment.ts'
import { setClosing } from '../src/forum/desk/closing.ts'
import { setDuplicate } from '../src/forum/desk/duplicates.ts'
import { addSavedAnswer } from '../src/forum/desk/saved-answers.ts'
import { snoozeQuestion } from '../src/forum/desk/snooze.ts'
import { pinQuestion } from '../src/forum/posts/pin.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
  type MadeQuestion,
} from '../src/testing/builders.ts'
import { setPromise } from '../src/testing/courses.ts'
import { within } from '../src/testing/within.ts'
import { questionPath } from '../src/web/paths.ts'
import type { Forum } from './forum.ts'
import { once } from './once.ts'
import { page, type Shown, sendAnyway } from './shown.ts'
import type { World } from './world.ts'

const HOUR_MS = 3_600_000
const IN_FIVE_DAYS = new Date(Date.now() + 120 * HOUR_MS).toISOString().slice(0, 10)

const staff = { reader: 'instructor' } as const

/** The pages of a course's staff, and what they do to the pages of others. */
export const DESK_PAGES: readonly Shown[] = [
  page(
    'the desks',
    desk(() => '/desk'),
    staff,
  ),
  page('no desk', () => '/desk', { reader: 'stranger' }),
  page('a desk with nothing on it', ({ empty }) => `/courses/${empty.slug}/desk`, staff),
  page(
    'a desk, longest first',
    desk(({ path }) => path),
    staff,
  ),
  page(
    'a desk with an open question',
    desk(({ path, open }) => `${path}?question=${open.id}`),
    staff,
  ),
  page(
    'a desk, mine',
    desk(({ path }) => `${path}?view=mine`),
    staff,
  ),
  page(
    'a desk, answered by classmates',
    desk(({ path }) => `${path}?view=classmates`),
    staff,
  ),
  page(
    'a desk, snoozed',
    desk(({ path }) => `${path}?view=snoozed`),
    staff,
  ),
  page(
    'a desk, private',
    desk(({ path }) => `${path}?view=private`),
    staff,
  ),
  page(
    'a desk, all of one lecture',
    desk(({ path }) => `${path}?view=all&lecture=1`),
    staff,
  ),
  page(
    'a desk with an empty answer',
    desk(({ path, open }) => `${path}?question=${open.id}`),
    {
      ...staff,
      status: 422,
      act: async (at) => {
        await at.locator('.answer-box').evaluate((form: HTMLFormElement) => {
          form.noValidate = true
          form.removeAttribute('data-in-place')
        })
        await at.locator('.answer-box button[value="resolve"]').click()
      },
    },
  ),
  page(
    'a desk where a colleague was faster',
    desk(({ path, taken }) => `${path}?question=${taken.id}`),
    {
      ...staff,
      status: 409,
      act: async (at) => {
        await at
          .locator('#open input[name="seen"]')
          .first()
          .evaluate((seen: HTMLInputElement) => {
            seen.value = ''
          })
        await at.locator('#open [data-key="t"]').click()
      },
    },
  ),
  page(
    'saved answers of a desk',
    desk(({ path }) => `${path}/saved`),
    staff,
  ),
  page(
    'a saved answer of a desk to edit',
    desk(({ path, saved }) => `${path}/saved?edit=${saved}`),
    staff,
  ),
  page(
    'an empty saved answer of a desk',
    desk(({ path }) => `${path}/saved`),
    {
      ...staff,
      status: 422,
      act: (at) => sendAnyway(at, '/saved'),
    },
  ),
  page(
    'a duplicate, on its desk',
    desk(({ duplicate }) => questionPath(duplicate)),
    staff,
  ),
  page(
    'a duplicate, after the desk',
    desk(({ duplicate }) => questionPath(duplicate)),
    { reader: 'asker' },
  ),
  page(
    'no duplicate for the desk',
    desk(({ open }) => questionPath(open)),
    {
      ...staff,
      status: 422,
      act: async (at) => {
        await at.locator('#duplicate-of').evaluate((field: HTMLInputElement) => {
          field.value = 'nothing'
        })
        await sendAnyway(at, '/duplicate')
      },
    },
  ),
  page(
    'a question to close, after the desk',
    desk(({ open }) => questionPath(open)),
    { ...staff, act: openClosing },
  ),
  page(
    'a question that is solved nowhere, after the desk',
    desk(({ open }) => questionPath(open)),
    {
      ...staff,
      status: 422,
      act: async (at) => {
        await openClosing(at)
        await at.locator('#closing-reason').selectOption('solved-elsewhere')
        await sendAnyway(at, '/closing')
      },
    },
  ),
  page(
    'a closed question, after the desk',
    desk(({ closed }) => questionPath(closed)),
    { reader: 'asker' },
  ),
  page(
    'a closed question to open again',
    desk(({ closed }) => questionPath(closed)),
    staff,
  ),
  page(
    'an endorsed answer, after the desk',
    desk(({ endorsed }) => questionPath(endorsed)),
    {
      reader: 'asker',
    },
  ),
  page(
    'a pinned row, after the desk',
    desk(({ course }) => `/courses/${course.slug}`),
  ),
  page(
    'the promise of a desk',
    desk(({ course }) => `/questions/new?course=${course.slug}`),
    {
      reader: 'asker',
    },
  ),
]

/** None of the pages changes it. */
const busyDeskOf = once(aBusyDesk)

interface BusyDesk {
  readonly course: MadeCourse
  readonly path: string
  readonly open: MadeQuestion
  readonly taken: MadeQuestion
  readonly duplicate: MadeQuestion
  readonly endorsed: MadeQuestion
  readonly closed: MadeQuestion
  readonly saved: number
}

/** The dialog in the menu of a question. */
async function openClosing(at: Page): Promise<void> {
  await at.locator('#question details[name^="post-question-"] > summary').click()
  await at.locator('[popovertarget="closing"]').first().click()
}

/** An address of a desk where everything is that a desk can show. */
function desk(pathOf: (busy: BusyDesk) => string): Shown['path'] {
  return async (world, forum) => pathOf(await busyDeskOf(world, forum))
}

async function aBusyDesk({ instructor, asker }: World, { db }: Forum): Promise<BusyDesk> {
  const course = await aCourse(db, { title: 'W'.repeat(60), lectures: ['W'.repeat(80), 'Verbs'] })
  await aMember(db, course, 'instructor', instructor)
  const colleague = await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'W'.repeat(50) }))
  await setPromise(db, course.id, 24)
  const asks = (title: string, hours: number, audience: 'course' | 'staff' = 'course') =>
    aQuestion(db, {
      ...{ course, author: asker, title, audience, body: `What is \`${'x'.repeat(200)}\`?` },
      ...{ lectureId: course.lectureIds[0] ?? 0, writtenAt: new Date(Date.now() - hours * HOUR_MS) },
    })
  const open = await asks('W'.repeat(150), 80)
  const taken = await asks('왜 PUT 요청이 400을 돌려주나요?', 50)
  const mine = await asks('Which of the two is idempotent?', 5)
  const later = await asks('Does it work without a server?', 4)
  const duplicate = await asks('Is PUT the same as POST?', 3)
  const endorsed = await asks('What does 405 mean?', 2)
  const closed = await asks('Is this about the homework of another course?', 2)
  await asks('My grade seems wrong', 1, 'staff')
  await aReply(db, { question: open, author: asker, body: `\`${'x'.repeat(200)}\`` })
  await anAnswer(db, { question: open, body: `See \`${'x'.repeat(200)}\`.` })
  await anAnswer(db, { question: mine })
  const answer = await anAnswer(db, { question: endorsed })
  await within(db, setEndorsement, endorsed.id, answer.id, instructor.id)
  for (const [question, assigneeId] of [
    [taken, colleague.id],
    [mine, instructor.id],
  ] as const) {
    const by = { courseId: course.id, actorId: assigneeId, seen: undefined }
    await within(db, assignQuestion, { questionId: question.id, assigneeId, ...by })
  }
  await within(db, snoozeQuestion, later.id, { day: IN_FIVE_DAYS, timeZone: 'UTC' })
  await within(db, setDuplicate, { questionId: duplicate.id, originalId: open.id, actorId: instructor.id })
  await within(db, setClosing, closed.id, 'heated')
  const pin = { questionId: open.id, until: IN_FIVE_DAYS, timeZone: 'UTC', actorId: instructor.id }
  await within(db, pinQuestion, pin)
  const body = `Dear {name},\n\n\`${'x'.repeat(200)}\``
  await within(db, addSavedAnswer, { courseId: course.id, title: 'W'.repeat(60), body })
  const saved = await db
    .selectFrom('saved_answers')
    .select('id')
    .where('course_id', '=', course.id)
    .executeTakeFirstOrThrow()
  const path = `/courses/${course.slug}/desk`
  return { course, path, open, taken, duplicate, endorsed, closed, saved: saved.id }
}
