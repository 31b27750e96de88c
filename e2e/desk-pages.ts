import { setEndorsement } from '../src/forum/answers/endorsement.ts'
import { assignQuestion } from '../src/forum/desk/assignment.ts'
import { setClosing } from '../src/forum/desk/closing.ts'
import { setDuplicate } from '../src/forum/desk/duplicates.ts'
import { addSavedAnswer } from '../src/forum/desk/saved-answers.ts'
import { snoozeQuestion } from '../src/forum/desk/snooze.ts'
import { pinQuestion } from '../src/forum/posts/pin.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../src/testing/builders.ts'
import { setPromise } from '../src/testing/courses.ts'
import { aDayAhead } from '../src/testing/pass-time.ts'
import { rowOf } from '../src/testing/rows.ts'
import { within } from '../src/testing/within.ts'
import { questionPath } from '../src/web/paths.ts'
import type { Forum } from './forum.ts'
import { once } from './once.ts'
import { by, page, type Shown, sendAnyway, steps } from './shown.ts'
import type { World } from './world.ts'

const HOUR_MS = 3_600_000

/** The dialog in the menu of a question. */
const openClosing = steps(
  '#question details[name^="post-question-"] > summary',
  '[popovertarget="closing"] >> nth=0',
)

/** The pages of a course's staff, and what they do to the pages of others. */
export const DESK_PAGES: readonly Shown[] = [
  atDesk('a pinned row, after the desk', ({ course }) => `/courses/${course.slug}`),
  ...by(
    'asker',
    atDesk('a duplicate, after the desk', ({ duplicate }) => questionPath(duplicate)),
    atDesk('a closed question, after the desk', ({ closed }) => questionPath(closed)),
    atDesk('an endorsed answer, after the desk', ({ endorsed }) => questionPath(endorsed)),
    atDesk('the promise of a desk', ({ course }) => `/questions/new?course=${course.slug}`),
  ),
  ...by(
    'instructor',
    atDesk('the desks', () => '/desk'),
    page('a desk with nothing on it', ({ empty }) => `/courses/${empty.slug}/desk`),
    atDesk('a desk, longest first', ({ path }) => path),
    atDesk('a desk with an open question', ({ path, open }) => `${path}?question=${open.id}`),
    atDesk('a desk, mine', ({ path }) => `${path}?view=mine`),
    atDesk('a desk, answered by classmates', ({ path }) => `${path}?view=classmates`),
    atDesk('a desk, snoozed', ({ path }) => `${path}?view=snoozed`),
    atDesk('a desk, private', ({ path }) => `${path}?view=private`),
    atDesk('a desk, all of one lecture', ({ path }) => `${path}?view=all&lecture=1`),
    atDesk('a desk with an empty answer', ({ path, open }) => `${path}?question=${open.id}`, {
      status: 422,
      act: async (at) => {
        await at.locator('.answer-box').evaluate((form: HTMLFormElement) => {
          form.noValidate = true
          form.removeAttribute('data-in-place')
        })
        await at.locator('.answer-box button[value="resolve"]').click()
      },
    }),
    atDesk('a desk where a colleague was faster', ({ path, taken }) => `${path}?question=${taken.id}`, {
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
    }),
    atDesk('saved answers of a desk', ({ path }) => `${path}/saved`),
    atDesk('a saved answer of a desk to edit', ({ path, saved }) => `${path}/saved?edit=${saved}`),
    atDesk('an empty saved answer of a desk', ({ path }) => `${path}/saved`, {
      status: 422,
      act: (at) => sendAnyway(at, '/saved'),
    }),
    atDesk('a duplicate, on its desk', ({ duplicate }) => questionPath(duplicate)),
    atDesk('no duplicate for the desk', ({ open }) => questionPath(open), {
      status: 422,
      act: async (at) => {
        await at.locator('#duplicate-of').evaluate((field: HTMLInputElement) => {
          field.value = 'nothing'
        })
        await sendAnyway(at, '/duplicate')
      },
    }),
    atDesk('a question to close, after the desk', ({ open }) => questionPath(open), { act: openClosing }),
    atDesk('a question that is solved nowhere, after the desk', ({ open }) => questionPath(open), {
      status: 422,
      act: async (at) => {
        await openClosing(at)
        await at.locator('#closing-reason').selectOption('solved-elsewhere')
        await sendAnyway(at, '/closing')
      },
    }),
    atDesk('a closed question to open again', ({ closed }) => questionPath(closed)),
    atDesk('an answer to make a reply of', ({ answerId }) => `/answers/${answerId}/conversion`),
    atDesk('a question to move', ({ open }) => `/questions/${open.id}/move`),
    atDesk('a question that can’t be moved', ({ open }) => `/questions/${open.id}/move?course=no-such`),
  ),
  ...by(
    'stranger',
    page('no desk', () => '/desk'),
  ),
]

/** None of the pages changes it. */
const busyDeskOf = once(aBusyDesk)

type BusyDesk = Awaited<ReturnType<typeof aBusyDesk>>

/** A page of a desk where everything is that a desk can show, or after it. */
function atDesk(
  name: string,
  pathOf: (busy: BusyDesk) => string,
  more: Parameters<typeof page>[2] = {},
): Shown {
  return page(name, async (world, forum) => pathOf(await busyDeskOf(world, forum)), more)
}

async function aBusyDesk({ instructor, asker }: World, { db }: Forum) {
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
  const { id: answerId } = await anAnswer(db, { question: open, body: `See \`${'x'.repeat(200)}\`.` })
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
  await within(db, snoozeQuestion, later.id, { day: aDayAhead(5), timeZone: 'UTC' })
  await within(db, setDuplicate, { questionId: duplicate.id, originalId: open.id, actorId: instructor.id })
  await within(db, setClosing, closed.id, 'heated')
  const pin = { questionId: open.id, until: aDayAhead(5), timeZone: 'UTC', actorId: instructor.id }
  await within(db, pinQuestion, pin)
  const body = `Dear {name},\n\n\`${'x'.repeat(200)}\``
  await within(db, addSavedAnswer, { courseId: course.id, title: 'W'.repeat(60), body })
  const saved = await rowOf(db, 'saved_answers', { course_id: course.id })
  const path = `/courses/${course.slug}/desk`
  return { course, path, open, taken, duplicate, endorsed, closed, answerId, saved: saved.id }
}
