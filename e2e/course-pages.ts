import { addBlocked } from '../src/forum/blocklists/blocklist.ts'
import { makeEntry } from '../src/forum/faq/operations.ts'
import { aMember, aPerson, aQuestion } from '../src/testing/builders.ts'
import { within } from '../src/testing/within.ts'
import type { Forum } from './forum.ts'
import { once } from './once.ts'
import { by, page, type Shown, sendList, steps } from './shown.ts'
import type { World } from './world.ts'

const ALL = '.select-all input'
const SAVE = '#content .button.primary'
const copyOf = ({ course }: World) => `/courses/${course.slug}/settings/copy`

/** States of the pages on which an instructor runs a course, beside those that e2e/pages.ts has among its own. */
export const COURSE_PAGES: readonly Shown[] = [
  page('the rules of a course', ({ course }) => `/courses/${course.slug}/rules`),
  page('a long FAQ', (world, forum) => aLongFaq(world, forum)),
  ...by(
    'instructor',
    page('the first day of a course', ({ empty }) => `/courses/${empty.slug}`),
    page('selected members', membersOf, { status: 422, act: steps(ALL, '#selection [value="role"]') }),
    page('members about to be removed', membersOf, { act: steps(ALL, '#selection [value="removal"]') }),
    page('a dialog to add people', membersOf, { act: steps('[popovertarget="add"] >> nth=0') }),
    page('adding people', ({ course }) => `/courses/${course.slug}/members?add=1`),
    page('people who are invited', invitedTo),
    page('a list that names a role', membersOf, {
      act: async (at) =>
        sendList(at, '#list', `${await at.locator('.cell-person small').first().innerText()},assistant`),
    }),
    page('a list of lectures to check', ({ course }) => `/courses/${course.slug}/lectures`, {
      act: (at) => sendList(at, '#lectures', `number,title\n2,${'W'.repeat(80)}\n9,New`),
    }),
    page('copying a course', copyOf),
    page('copying a course with chosen questions, refused', copyOf, {
      status: 422,
      act: steps('[name="questions"][value="chosen"]', 'form[action$="/copy"] .button.primary'),
    }),
    page('the tags of a course to change', ({ course }) => `/courses/${course.slug}/settings/tags`),
    page('the blocklists of a course', blocklistsOf),
    page('what blocklists would hold', blocklistsOf, { act: steps(SAVE) }),
    page('blocklists that are refused', blocklistsOf, { status: 422, act: steps(['#words', '*'], SAVE) }),
    page('a tag of a course to change', aTagOf),
    page('a change of a tag that is refused', aTagOf, {
      status: 422,
      act: steps(['#name', 'not a tag!'], SAVE),
    }),
    page('selected questions', selectedIn),
    page('selected questions without a reason', selectedIn, {
      status: 422,
      act: steps('[value="delete"]', 'main form .button.primary'),
    }),
    page('what became of selected questions', selectedIn, {
      act: async (at) => {
        await at.locator('[value="close"]').click()
        await at.locator('[name="reason"]').selectOption('unclear')
        await at.locator('main form .button.primary').click()
      },
    }),
    page('the rules of a course to write', ({ course }) => `/courses/${course.slug}/settings/rules`),
    page('a long FAQ to look after', (world, forum) => aLongFaq(world, forum)),
  ),
]

async function blocklistsOf({ course }: World, { db }: Forum): Promise<string> {
  const entries = ['a-wide-word-of-this-course-that-nobody-ever-writes-in-a-sentence', 'the']
  await within(db, addBlocked, course.id, 'words', entries)
  return `/courses/${course.slug}/settings/blocklist`
}

async function aTagOf({ course }: World, { db }: Forum): Promise<string> {
  await aQuestion(db, { course, tags: ['wide-word-of-this-course'] })
  return `/courses/${course.slug}/settings/tags?tag=wide-word-of-this-course`
}

async function selectedIn({ course }: World, { db }: Forum): Promise<string> {
  const ids = await Promise.all(
    ['W'.repeat(80), 'Is it this one?'].map(async (title) => (await aQuestion(db, { course, title })).id),
  )
  return `/courses/${course.slug}/questions/bulk?${ids.map((id) => `question=${id}`).join('&')}`
}

/** Two of them with long names, whose addresses are longer. */
async function membersOf({ course }: World, { db }: Forum): Promise<string> {
  for (const letter of ['W', 'M']) {
    const displayName = letter.repeat(40)
    await aMember(db, course, 'learner', await aPerson(db, { displayName }))
  }
  return `/courses/${course.slug}/members?show=learners`
}

async function invitedTo({ course }: World, { db }: Forum): Promise<string> {
  const emails = ['waits@school.example', `${'w'.repeat(60)}@school.example`]
  await db
    .insertInto('pending_roles')
    .values(emails.map((email) => ({ course_id: course.id, email, role: 'learner' as const })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return `/courses/${course.slug}/members?show=invited`
}

const aLongFaq = once(longFaqOf)

/** More entries than need no contents. */
async function longFaqOf({ course }: World, { db }: Forum): Promise<string> {
  await db.transaction().execute(async (write) => {
    for (const title of ['Which Java?', 'W'.repeat(150), 'When?', 'Where?', 'Who?', 'Why?'])
      await makeEntry(write, {
        courseId: course.id,
        about: { title, body: 'It `depends`.' },
        state: 'shown',
        position: null,
      })
  })
  return `/courses/${course.slug}/faq`
}
