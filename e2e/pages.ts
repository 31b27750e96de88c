import type { Page } from 'playwright/test'
import { agentsOn, anAppToken, aRegisteredApp, askingPath } from '../src/accounts/apps/testing.ts'
import { makeMailLink } from '../src/accounts/identity/mail-links.ts'
import { hashPassword } from '../src/accounts/identity/passwords.ts'
import { addPasskeyRow } from '../src/accounts/passkeys/row-testing.ts'
import { beginSecondFactor } from '../src/accounts/second-factor/second-factor.ts'
import { beginSession } from '../src/accounts/sessions/sessions.ts'
import { newPasswordRequest } from '../src/accounts/sign-in/forgotten-password.ts'
import { makeSignInLink } from '../src/accounts/sign-in/links.ts'
import type { MailLinkPurpose } from '../src/database/schema.ts'
import { leaveAgentDraft } from '../src/forum/drafts/agent-draft.ts'
import { saveDraft } from '../src/forum/drafts/draft.ts'
import { makeEntry } from '../src/forum/faq/operations.ts'
import { changePolicy } from '../src/forum/policies/policy.ts'
import { editQuestion } from '../src/forum/questions/commands.ts'
import { readKeys } from '../src/secrets/keys.ts'
import { act } from '../src/testing/act.ts'
import { SECRET } from '../src/testing/app.ts'
import { ASKED_WEEKS, anAskedCourse } from '../src/testing/asked-course.ts'
import { aCourse, anUnclaimedPerson, aPerson, aQuestion, asImported } from '../src/testing/builders.ts'
import { anAnnouncement, aText } from '../src/testing/posts.ts'
import { rowOf, setRows } from '../src/testing/rows.ts'
import { within } from '../src/testing/within.ts'
import { personPath, questionPath } from '../src/web/paths.ts'
import { COURSE_PAGES } from './course-pages.ts'
import { DESK_PAGES } from './desk-pages.ts'
import type { Forum } from './forum.ts'
import { MODERATION_PAGES } from './moderation-pages.ts'
import { PASSWORD, REFUSED_PAGES, sendOutdatedEntry, setPassword } from './refused-pages.ts'
import { by, page, refused, type Shown, sendAnyway } from './shown.ts'
import { WEBHOOK_PAGES } from './webhook-pages.ts'
import type { World } from './world.ts'

const visitors: readonly Shown[] = [
  page('the list of all questions', () => '/'),
  page('a filtered list, votes first', () => '/questions?status=resolved&sort=votes'),
  page('a list with nothing in it', () => '/questions?status=unanswered&tag=java&sort=views'),
  page('a course without questions', emptyCourse),
  page('a course', ({ course }) => `/courses/${course.slug}`),
  page('one lecture of a course', ({ course }) => `/courses/${course.slug}?lecture=2`),
  page('the lectures of a course', ({ course }) => `/courses/${course.slug}/lectures`),
  page('the tags of a course', ({ course }) => `/tags?course=${course.slug}`),
  page('the courses', () => '/courses'),
  page('a question', ({ question }) => questionPath(question)),
  page('an anonymous question', ({ masked }) => questionPath(masked)),
  page('searching', () => '/search'),
  page('what was found', () => '/search?q=put'),
  page('nothing found', () => `/search?q=%22${'nothing'.repeat(20)}%22`),
  page('the tags', () => '/tags'),
  page('a tag', () => '/tags/http'),
  page('a person', ({ asker }) => personPath(asker)),
  page('signing in', () => '/sign-in'),
  page('signing up', () => '/sign-up'),
  page('a sign-in link', async ({ asker }, forum) =>
    (await makeSignInLink(forum.db, asker.id, forum.url)).slice(forum.url.length),
  ),
  page('a dead sign-in link', () => '/sign-in/link?token=gone', { status: 410 }),
  page('a forgotten password', () => '/forgotten-password'),
  page('a new password', mailLink('/new-password', 'new-password')),
  refused('a short new password', mailLink('/new-password', 'new-password'), '/new-password'),
  page('confirming an address', mailLink('/confirm-email', 'confirm-email')),
  page('taking an account back', mailLink('/undo-email-change', 'undo-email-change')),
  page('the code of a second factor', signInOfTwoSteps('app'), { act: signInHalf }),
  page('a passkey after the password', signInOfTwoSteps('passkey'), { act: signInHalf }),
  page('a dead link from a mail', () => '/new-password?token=gone', { status: 410 }),
  page('the first set-up', firstSetUp),
  page('the components', () => '/design'),
  page('no such page', () => '/no-such-page', { status: 404 }),
  page('a deleted question', ({ deleted }) => questionPath(deleted), { status: 410 }),
  page('a wrong password', () => '/sign-in', { status: 422, act: signInWrongly }),
  refused('an empty sign-up', () => '/sign-up', '/sign-up'),
]

const people: readonly Shown[] = [
  page('a dead invitation', () => '/join/gone', { status: 410 }),
  page('announcements', async (world, forum) => {
    await announcementOf(world, forum)
    return `/courses/${world.course.slug}/announcements`
  }),
  page('the FAQ', faqOf),
  page('the rules of the forum', rulesOf),
  page('an empty page about the forum', () => '/contact'),
  page('the documentation of the API', () => '/api'),
  ...by(
    'asker',
    page('their own question', ({ plain }) => questionPath(plain)),
    page('their own private question', ({ kept }) => `/questions/${kept.id}/private`),
    page('their own questions', () => '/questions?mine=1'),
    page('questions they follow in a list', () => '/questions?following=1'),
    page('their own anonymous question', ({ masked }) => questionPath(masked)),
    page('editing an anonymous question', ({ masked }) => `/questions/${masked.id}/edit`),
    page('editing a question', ({ question }) => `/questions/${question.id}/edit`),
    page('editing a reply', ({ reply }) => `/replies/${reply.id}/edit`),
    page('what changed in a question', editedQuestion),
    page('their own deleted question', ({ deleted }) => questionPath(deleted), { status: 410 }),
    page('their settings', () => '/settings'),
    page('what they were told', () => '/notifications'),
    page('their tokens for programs', () => '/settings/tokens'),
    page('the apps that they let in', appsOfAsker),
    page('what an import brought under their address', claimsOfAsker),
    page('an app that asks for access', askingApp({})),
    page(
      'an app that asks with an address that isn’t its own',
      askingApp({ redirect_uri: 'https://x.example/' }),
      {
        status: 400,
      },
    ),
    page('how mail comes to them', () => '/settings/notifications'),
    page('settings with the bar of a course', ({ course }) => `/settings?course=${course.slug}`),
    page('their devices', devicesOf),
    page('a second factor that is on', secondFactorOf('asker', true)),
    page('their passkeys', passkeysOf('asker', 2)),
    refused('a wrong password for a passkey', passkeysOf('asker', 1), '/settings/passkeys/new'),
    page('making a passkey', passkeysOf('asker', 1), { act: beginPasskey }),
    page('one of their passkeys', onePasskeyOf),
    page('their data and their account', withPassword('/settings/account')),
    refused('a wrong new address', withPassword('/settings'), '/settings/email'),
    page('their drafts', async ({ asker: { id: personId }, question }, { db }) => {
      const draft = { fields: { body: 'Half an answer '.repeat(40) }, version: 0 }
      await saveDraft(db, { personId, place: `/questions/${question.id}/answers`, ...draft })
      return '/drafts'
    }),
  ),
  ...by(
    'instructor',
    page('a question to look after', ({ question }) => questionPath(question)),
    page('a draft that an agent left', async ({ instructor, plain }, { db }) => {
      const fields = { body: 'Half an answer', client: 'An assistant with a long name' }
      await within(db, leaveAgentDraft, instructor.id, plain.id, fields)
      return questionPath(plain)
    }),
    page('the figures of a course', figuresOfBusyCourse),
    page('no range of figures', ({ course }) => `/courses/${course.slug}/figures?from=2026-02-30`, {
      status: 422,
    }),
    page('a private question to answer', ({ kept }) => `/questions/${kept.id}/private`),
    page('the names behind an anonymous question', ({ masked }) => questionPath(masked)),
    page('editing an answer', ({ answer }) => `/answers/${answer.id}/edit`),
    page('an earlier version', async (world, forum) => `${await editedQuestion(world, forum)}?version=1`),
    page('a deleted question to restore', ({ deleted }) => questionPath(deleted), { status: 410 }),
    page('a deleted answer to restore', ({ deletedAnswer }) => `/answers/${deletedAnswer.id}`, {
      status: 410,
    }),
    page('the settings of a course', ({ course }) => `/courses/${course.slug}/settings`),
    page('a course without a title', ({ course }) => `/courses/${course.slug}/settings`, {
      status: 422,
      act: async (at) => {
        await at.locator('#title').fill('')
        await at.locator('form:has(#title)').evaluate((form: HTMLFormElement) => {
          form.noValidate = true
          form.requestSubmit()
        })
      },
    }),
    page('lectures to change', ({ course }) => `/courses/${course.slug}/lectures`),
    page('one lecture to change', ({ course }) => `/courses/${course.slug}/lectures/2`),
    page('the categories of a course', ({ course }) => `/courses/${course.slug}/categories`),
    page('members to change', ({ course }) => `/courses/${course.slug}/members`),
    page('writing an announcement', ({ course }) => `/courses/${course.slug}/announcements/new`),
    page('the FAQ to look after', faqOf),
    page('an entry of the FAQ changed meanwhile', faqOf, { status: 409, act: sendOutdatedEntry }),
    page('the tokens of a course', ({ course }) => `/courses/${course.slug}/settings/tokens`),
    page('importing into a course', ({ course }) => `/courses/${course.slug}/settings/import`),
    page('exporting a course', ({ course }) => `/courses/${course.slug}/settings/export`),
    page('what they follow', () => '/following'),
    page('setting up a second factor', () => '/settings/security'),
    page('no passkeys yet', passkeysOf('instructor', 0)),
  ),
  ...by(
    'stranger',
    page('a question to answer', ({ plain }) => `${questionPath(plain)}?answers=newest`),
    page('choosing where to ask', () => '/questions/new'),
    page('asking', ({ course }) => `/questions/new?course=${course.slug}&lecture=2`),
    page('no question they follow in a list', () => '/questions?following=1'),
    page('a picture that is none', ({ plain }) => questionPath(plain), {
      status: 422,
      act: (at) => at.locator('.answer-form [formaction="/uploads"]').dispatchEvent('click'),
    }),
    page('an announcement', announcementOf),
    page('no unread question', () => '/questions?unread=1'),
    page('nothing unread', () => '/notifications?show=unread'),
    page('scanning a second factor', secondFactorOf('stranger', false)),
    page('no drafts', () => '/drafts'),
    page('their own questions', () => '/questions?mine=1'),
    page('what is not theirs', ({ question }) => `/questions/${question.id}/edit`, { status: 403 }),
    page('a form that came too late', ({ course }) => `/questions/new?course=${course.slug}`, {
      status: 403,
      act: sendStale,
    }),
    refused('an empty question', ({ course }) => `/questions/new?course=${course.slug}`, '/questions'),
    refused('an empty answer', ({ plain }) => questionPath(plain), '/answers'),
  ),
  ...by(
    'admin',
    page('the state of the forum', forAdmin('/admin')),
    page('all people', forAdmin('/admin/people')),
    page('all staff', forAdmin('/admin/people?show=staff')),
    page('all courses', forAdmin('/admin/courses')),
    page('the pages of the forum', forAdmin('/admin/pages/privacy')),
    page('the webhooks of the forum', forAdmin('/admin/webhooks?kind=slack')),
    page('the blocklists of the forum', forAdmin('/admin/blocklist')),
    page('the apps of the forum', appsOfForum),
    page('making a course', forAdmin('/courses/new')),
    page('what was mailed', mailToPassOn),
    page('the settings of the forum', forAdmin('/settings/site')),
  ),
]

/** Every page there is; each makes sense alone. */
export const PAGES = [
  ...visitors,
  ...people,
  ...COURSE_PAGES,
  ...WEBHOOK_PAGES,
  ...DESK_PAGES,
  ...MODERATION_PAGES,
  ...REFUSED_PAGES,
]

/** The set-up is open until there is an admin: the world's is none for a while, nor are those of tests before. */
async function firstSetUp(_world: World, { db, log }: Forum): Promise<string> {
  await setRows(db, 'people', { is_admin: true }, { is_admin: false })
  return /\/set-up\?token=[\w-]+/.exec(log())?.[0] ?? ''
}

function forAdmin(path: string): Shown['path'] {
  return async ({ admin }, { db }) => {
    await setRows(db, 'people', admin.id, { is_admin: true })
    return path
  }
}

/** Where no mail is sent, an admin passes the link on. */
async function mailToPassOn(world: World, forum: Forum): Promise<string> {
  const { email } = world.asker
  await forum.db.deleteFrom('mails').execute()
  await act(forum, newPasswordRequest, { actor: null, key: email, input: { email } })
  return forAdmin('/mail')(world, forum)
}

async function emptyCourse(_world: World, { db }: Forum): Promise<string> {
  const { slug } = await aCourse(db, { lectures: ['Verbs', 'W'.repeat(80)] })
  return `/courses/${slug}`
}

/** Something that staff told the course. */
async function announcementOf(
  { course: { id: courseId }, instructor }: World,
  { db }: Forum,
): Promise<string> {
  const text = { title: 'W'.repeat(150), body: `The **hall**. \`${'x'.repeat(200)}\`` }
  const id = await anAnnouncement(db, { courseId, authorId: instructor.id, ...text })
  return `/announcements/${id}`
}

/** One entry that is shown, and one that is proposed. */
async function faqOf({ course, question }: World, { db }: Forum): Promise<string> {
  const { id: courseId } = course
  const about = { title: `Which Java? ${'x'.repeat(130)}`, body: 'Java 25.' }
  await db.transaction().execute(async (write) => {
    await makeEntry(write, { courseId, about, state: 'shown', position: null })
    await makeEntry(write, { courseId, about: question.id, state: 'proposed', position: null })
  })
  return `/courses/${course.slug}/faq`
}

/** A link as a mail brings it, to the asker. */
function mailLink(path: string, purpose: MailLinkPurpose): Shown['path'] {
  return async ({ asker }, { db }) => {
    const link = { personId: asker.id, purpose, email: asker.email }
    return `${path}?token=${await db.transaction().execute((write) => makeMailLink(write, link))}`
  }
}

/** The world's instructor, in a course where more than a few people ask. */
async function figuresOfBusyCourse({ instructor }: World, { db }: Forum): Promise<string> {
  const { course } = await anAskedCourse(db, instructor)
  return `/courses/${course.slug}/figures?from=${ASKED_WEEKS.from}&to=${ASKED_WEEKS.to}`
}

/** The history of the world's question, after an edit of everything in it. */
async function editedQuestion({ edited, instructor }: World, { db }: Forum): Promise<string> {
  const { category_id: categoryId, version } = await rowOf(db, 'questions', edited.id)
  const content = {
    title: 'Another title',
    body: await aText(`Another text. ${'x'.repeat(200)}`),
    tags: ['new'],
    categoryId,
    lectureId: null,
  }
  await within(db, editQuestion, edited.id, content, {
    actorId: instructor.id,
    version,
    reason: 'W'.repeat(200),
  })
  return `/questions/${edited.id}/history`
}

/** A page of the asker's own, who has a password. */
function withPassword(path: string): Shown['path'] {
  return async ({ asker }, { db }) => {
    await setPassword(asker, db)
    return path
  }
}

/** A second factor that an app is to scan, or one that is on. */
function secondFactorOf(reader: 'asker' | 'stranger', isOn: boolean): Shown['path'] {
  return async (world, { db }) => {
    await setPassword(world[reader], db)
    await beginSecondFactor(db, readKeys(SECRET), world[reader].id)
    const confirmed_at = isOn ? new Date() : null
    await setRows(db, 'second_factors', { person_id: world[reader].id }, { confirmed_at })
    return '/settings/security'
  }
}

async function rulesOf(_world: World, { db }: Forum): Promise<string> {
  const place = { courseId: null, name: 'rules', language: 'en' } as const
  await within(db, changePolicy, place, `Intro.\n\n# Be kind\n\n${'W'.repeat(90)}\n\n## More\n\n- one`, 0)
  return '/rules'
}

async function devicesOf({ asker }: World, { db }: Forum): Promise<string> {
  await beginSession(db, asker.id, `Mozilla/5.0 (Windows NT 10.0) Firefox/140.0 ${'x'.repeat(200)}`)
  return '/settings/security'
}

/** The address of somebody with a second factor goes along in the fragment. */
function signInOfTwoSteps(factor: 'app' | 'passkey'): Shown['path'] {
  return async (_world, { db }) => {
    const person = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
    if (factor === 'passkey') await addPasskeyRow(db, person.id)
    else await beginSecondFactor(db, readKeys(SECRET), person.id)
    await setRows(db, 'second_factors', { person_id: person.id }, { confirmed_at: new Date() })
    return `/sign-in#${person.email}`
  }
}

async function appsOfAsker({ asker }: World, { db }: Forum): Promise<string> {
  await agentsOn(db)
  await db.deleteFrom('app_grants').where('person_id', '=', asker.id).execute()
  await anAppToken(db, asker, { scopes: ['read', 'draft', 'waiting'] })
  return '/settings/apps'
}

async function claimsOfAsker({ asker, course }: World, { db }: Forum): Promise<string> {
  const unclaimed = await anUnclaimedPerson(db, course, { displayName: 'W'.repeat(50), email: asker.email })
  await aQuestion(db, { course, author: unclaimed, title: 'W'.repeat(150) })
  await asImported(db, unclaimed)
  return '/settings/claims'
}

/** Apps may have one name: those of other pages go first. */
async function appsOfForum(world: World, forum: Forum): Promise<string> {
  await forum.db.deleteFrom('apps').execute()
  await aRegisteredApp(forum.db)
  return forAdmin('/admin/apps')(world, forum)
}

function askingApp(changed: Readonly<Record<string, string>>): Shown['path'] {
  return async (_world, { db, url }) => {
    await agentsOn(db)
    const app = await aRegisteredApp(db, { name: 'An assistant with a name that is rather long' })
    return askingPath({ config: { baseUrl: url } }, app, changed)
  }
}

function passkeysOf(reader: 'asker' | 'instructor', count: number): Shown['path'] {
  return async (world, { db }) => {
    await setPassword(world[reader], db)
    for (let number = 0; number < count; number += 1)
      await addPasskeyRow(db, world[reader].id, 'W'.repeat(50))
    return '/settings/security'
  }
}

async function onePasskeyOf({ asker }: World, { db }: Forum): Promise<string> {
  await setPassword(asker, db)
  return `/settings/passkeys/${await addPasskeyRow(db, asker.id, 'W'.repeat(50))}`
}

async function beginPasskey(at: Page): Promise<void> {
  await at.locator('#adding summary').click()
  await at.locator('#current_password_passkey').fill(PASSWORD)
  await sendAnyway(at, '/settings/passkeys/new')
}

async function signInHalf(at: Page): Promise<void> {
  await at.locator('main input[name="email"]').fill(new URL(at.url()).hash.slice(1))
  await at.locator('main input[name="password"]').fill(PASSWORD)
  await sendAnyway(at, '/sign-in')
  await at.waitForURL('**/sign-in/code')
}

async function sendStale(at: Page): Promise<void> {
  const form = at.locator('form[action="/questions"]')
  await form.locator('input[name="title"]').fill('A title worth keeping')
  await form.locator('input[name="_csrf"]').evaluate((element: HTMLInputElement) => {
    element.value = 'from another day'
  })
  await sendAnyway(at, '/questions')
}

async function signInWrongly(at: Page): Promise<void> {
  await at.locator('main input[name="email"]').fill('nobody@example.com')
  await at.locator('main input[name="password"]').fill('not the password')
  await sendAnyway(at, '/sign-in')
}
