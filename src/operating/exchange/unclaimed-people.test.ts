import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { finishDepartures } from '../../accounts/deletion/departure.ts'
import { findMentionable } from '../../forum/mentions/queries.ts'
import { unnameIn } from '../../forum/people/unname.ts'
import { fileStore } from '../../forum/pictures/store.ts'
import { purgePostsOf } from '../../forum/purging/leavers-posts.ts'
import { act } from '../../testing/act.ts'
import type { Ending } from '../../testing/at-end.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, anUnclaimedPerson, aPerson, aQuestion, asImported } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { deleteAccount } from '../admin/operations.ts'
import { exportCourse } from './course-export.ts'
import { importExchange } from './course-import.ts'
import { aFolder, BASE_URL, readExport } from './course-testing.ts'
import type { Written } from './format.ts'
import { aSmallExport } from './small-export-testing.ts'

const COURSE = { slug: 'moved', title: 'Moved' }

/** An export of a course of Ed, with a question by each person, which mentions the one before. */
const anExport = (t: Ending, people: readonly Written<'people'>[]) =>
  aSmallExport(t, {
    people,
    questions: people.map(({ id }, index) => ({
      ...{ id: `of-${id}-${people.length}`, author: { person: id }, title: `Which tea, ${id}?` },
      body: mentioning(people[index - 1]),
    })),
  })

const mentioning = (person: Written<'people'> | undefined) =>
  person === undefined ? 'I wonder.' : `As @[${person.name}](exchange:person/${person.id}) said.`

suite('people whom an import brings', () => {
  test('keep the address of the file in the form of accounts’, which only staff’s named export has', async (t) => {
    const [db, folder] = [await testDatabase(t), await aFolder(t)]
    const path = await anExport(t, [
      { id: 'a', name: 'Ada', email: ' Ada@Example.ORG ' },
      { id: 'b', name: 'Bo', email: 'no address' },
      { id: 'c', name: 'Cy' },
    ])
    const store = fileStore(join(folder, 'pictures'))
    await importExchange(db, store, { path, course: COURSE })
    const kept = await db.selectFrom('imported_addresses').select('email').execute()
    assert.deepEqual(kept, [{ email: 'ada@example.org' }])
    for (const isPseudonymous of [false, true]) {
      const out = join(folder, `out-${isPseudonymous}`)
      await exportCourse(db, store, { slug: COURSE.slug, path: out, baseUrl: BASE_URL, isPseudonymous })
      const { text, lines } = await readExport(out)
      assert.equal(text.includes('ada@example.org'), !isPseudonymous)
      assert.equal(lines.people.length, 3)
    }
  })

  test('are in no list of people, no picker and no count, but where admins look for names', async (t) => {
    const { app, db } = await aForum(t)
    const course = await aCourse(db)
    const unclaimed = await anUnclaimedPerson(db, course, { displayName: 'Zora Unclaimed' })
    const question = await aQuestion(db, { course, author: unclaimed })
    await asImported(db, unclaimed)
    const asked = { beginning: 'zora', exceptId: 0, findsMembers: true }
    assert.deepEqual(await findMentionable(db, question.id, asked), [])
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    const named = async (path: string) => textOf((await admin.get(path)).body).includes('Zora')
    assert.equal(await named(`/courses/${course.slug}/members`), false)
    assert.equal(await named('/admin/people?q=zora'), false)
    assert.equal(await named('/admin/people?show=unclaimed&q=zora'), true)
    const page = textOf((await admin.get(`/admin/people/${unclaimed.id}`)).body)
    assert.match(page, /No account\. The name came with an import\./)
    assert.doesNotMatch(page, /Make admin/)
  })

  test('lose their name for good, where an admin removes it', async (t) => {
    const [db, folder] = [await testDatabase(t), await aFolder(t)]
    const store = fileStore(join(folder, 'pictures'))
    const people = [
      { id: 'a', name: 'Ada Lovelace', email: 'ada@example.org' },
      { id: 'b', name: 'Bo' },
    ]
    await importExchange(db, store, { path: await anExport(t, people), course: COURSE })
    const admin = await aPerson(db, { isAdmin: true })
    const { id } = await rowOf(db, 'people', { display_name: 'Ada Lovelace' })
    const input = { person: String(id), confirm: 'ada lovelace', posts: 'keep' }
    await act({ db }, deleteAccount, { actor: admin, key: String(id), input })
    await finishDepartures(db, {
      purge: purgePostsOf,
      unname: unnameIn,
      sweepPictures: async () => undefined,
    })
    const texts = (await rowsOf(db, 'questions', {})).map(({ body }) => body).join()
    assert.match(texts, /As @\[Former member\]/)
    assert.doesNotMatch(texts, /Lovelace/)
    const later = [...people, { id: 'c', name: 'Cy' }]
    await importExchange(db, store, { path: await anExport(t, later), course: COURSE })
    assert.deepEqual(await rowsOf(db, 'imported_addresses', {}), [])
    const posts = await rowsOf(db, 'questions', { author_id: id })
    assert.deepEqual(valuesOf(posts, 'held_at'), [null, null])
    const former = await rowOf(db, 'people', { id })
    assert.equal(former.display_name, 'Former member')
    const kept = await rowOf(db, 'imported_people', { person_id: id })
    assert.equal(kept.is_gone, true)
    assert.match(kept.external_id, /^~nameless [0-9a-f]{64}$/)
  })
})
