import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { postAnnouncement } from '../announcements/announcement.ts'

const STEPS = ['Share the course link', 'Add people', 'Set a response goal', 'Write a welcome note']

suite('what a new course needs first', () => {
  const forum = sharedForum()

  async function aNewCourse(options: Parameters<typeof aCourse>[1] = {}) {
    const course = await aCourse(forum.db, options)
    const actor = await aMember(forum.db, course, 'instructor')
    const input = { title: 'Welcome!', body: 'Ask *anything*.' }
    const welcomes = () => act(forum, postAnnouncement, { actor, key: course.slug, input })
    return { course, browser: await signedIn(forum.app, actor), path: `/courses/${course.slug}`, welcomes }
  }

  /** The steps of a page by name, and whether each is done. */
  function stepsIn(html: string): Record<string, boolean> {
    const steps = [...html.matchAll(/class="step-tick">.*?>(Done|To do):<.*?<h3>(.*?)<\/h3>/gs)]
    return Object.fromEntries(steps.map(([, state, name = '']) => [name, state === 'Done']))
  }
  const none = Object.fromEntries(STEPS.map((name) => [name, false]))

  test('is on the course’s page, and done once it is true', async () => {
    const { course, browser, path, welcomes } = await aNewCourse()
    const first = await browser.get(path)
    assert.deepEqual(stepsIn(first.body), none)
    assert.match(first.body, new RegExp(`readonly value="[^"]+${path}"`))
    assert.match(textOf(first.body), /0 of 4 done/)
    assert.match(first.body, /type="button"\s+hidden\s+data-copied/, 'only a script copies')

    await browser.post(`${path}/invitations`, { role: 'learner', until: '', uses: '' })
    const invited = { ...none, 'Add people': true }
    assert.deepEqual(stepsIn((await browser.get(path)).body), invited)
    await aMember(forum.db, course, 'learner')
    const joined = { ...invited, 'Share the course link': true }
    assert.deepEqual(stepsIn((await browser.get(path)).body), joined)
    await welcomes()
    await setPromise(forum.db, course.id, 24)
    const ready = await browser.get(path)
    assert.deepEqual(stepsIn(ready.body), {})
    assert.match(textOf(ready.body), /Your course is ready\. New questions appear here and on your desk\./)

    await aQuestion(forum.db, { course })
    assert.doesNotMatch((await browser.get(path)).body, /Your course is ready/)
  })

  test('says what was chosen, with a way to change it', async () => {
    const { browser, path, course, welcomes } = await aNewCourse({ isPublic: false })
    await welcomes()
    await setPromise(forum.db, course.id, 24)
    const page = await browser.get(path)
    assert.match(textOf(page.body), /Within 24 hours\. Learners see it when they ask\..*“Welcome!”/s)
    assert.match(textOf(page.body), /Only people you add can open it/)
    assert.match(page.body, /href="\/announcements\/\d+\/edit"/)
  })

  test('is hidden and shown again for all instructors of the course, and never shown to others', async () => {
    const { course, browser, path } = await aNewCourse()
    const { db, app } = forum
    const other = await signedIn(app, await aMember(db, course, 'instructor'))
    for (const role of ['assistant', 'learner'] as const) {
      const person = await signedIn(app, await aMember(db, course, role))
      assert.doesNotMatch((await person.get(path)).body, /Get your course ready/, role)
    }
    const settings = `${path}/settings`
    assert.doesNotMatch((await browser.get(settings)).body, /Show list again/)
    const hidden = await browser.follow(await browser.post(`${path}/first-steps`, { value: '0' }))
    assert.match(textOf(hidden.body), /List hidden/)
    assert.doesNotMatch((await other.get(path)).body, /Get your course ready/)

    assert.match((await other.get(settings)).body, /Show list again/)
    await other.post(`${path}/first-steps`, { value: '1' })
    assert.match((await browser.get(path)).body, /Get your course ready/)
  })

  test('is over where a course has begun, or is archived', async () => {
    const { course, browser, path } = await aNewCourse()
    const author = await aPerson(forum.db)
    for (let made = 0; made < 9; made += 1) await aQuestion(forum.db, { course, author })
    assert.equal(Object.keys(stepsIn((await browser.get(path)).body)).length, STEPS.length)
    assert.deepEqual(stepsIn((await browser.get(`${path}?status=resolved`)).body), {})
    await aQuestion(forum.db, { course, author })
    assert.deepEqual(stepsIn((await browser.get(path)).body), {})

    const archived = await aNewCourse()
    await setRows(forum.db, 'courses', archived.course.id, { archived_at: new Date() })
    assert.deepEqual(stepsIn((await archived.browser.get(archived.path)).body), {})
  })
})
