import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { departing, finishDepartures, type PostsOfLeaver } from '../../accounts/deletion/departure.ts'
import { leave } from '../../accounts/deletion/testing.ts'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { saveDraft } from '../../forum/drafts/draft.ts'
import { unnameIn } from '../../forum/people/unname.ts'
import { sweepPictures } from '../../forum/pictures/commands.ts'
import { pictureStore } from '../../forum/pictures/picture-store.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { purgePostsOf } from '../../forum/purging/leavers-posts.ts'
import { indexQueued } from '../../forum/search/index-question.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { testApp, testConfig } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { addressOf, newDatabase, testDatabase } from '../../testing/database.ts'
import { questionPath } from '../../web/paths.ts'
import { aBackup, aTemporaryFolder, restoreInto } from './testing.ts'

/** In everything that the leaver writes, and in their name and address. */
const WORD = 'zwiebelfisch'

/** Where the words of somebody who took everything along may still be: docs/security.md has the reasons. */
async function exceptions(): Promise<ReadonlySet<string>> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/security.md'), 'utf8')
  const [, section = ''] = text.split('### What remains when posts leave, too')
  const [rows = ''] = section.split('\n## ')
  return new Set(
    [...rows.matchAll(/^\| (`[a-z_.`, ]+`) \|/gm)].flatMap(([, names = '']) => names.match(/[\w.]+/g) ?? []),
  )
}

/** Every column of every table that has the word, as `table.column`. */
async function columnsWith(db: Database, word: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm') order by relname`.execute(db)
  const found = new Set<string>()
  for (const { name } of tables) {
    const { rows } = await sql<{ column: string }>`
      select distinct field.key as "column" from ${sql.table(name)} as t, jsonb_each_text(to_jsonb(t)) as field
      where field.value ilike ${`%${word}%`} or field.value ilike ${`%${Buffer.from(word).toString('hex')}%`}`.execute(
      db,
    )
    for (const { column } of rows) found.add(`${name}.${column}`)
  }
  return [...found].sort()
}

async function aLeaver(t: Ending) {
  const dataDir = await aTemporaryFolder(t)
  const db = await testDatabase(t)
  const app = await testApp(t, db, { dataDir })
  const course = await aCourse(db)
  const leaver = await aMember(
    db,
    course,
    'assistant',
    await aPerson(db, {
      displayName: `Ada ${WORD}`,
      email: `ada@${WORD}.example`,
      passwordHash: await hashPassword(PASSWORD),
    }),
  )
  const other = await aMember(db, course)
  const browser = await signedIn(app, leaver)
  const picture = async () => (await uploaded(browser, `A ${WORD}`)).markdown
  const theirs = await aQuestion(db, {
    course,
    author: other,
    body: `Ask @[Ada ${WORD}](person:${leaver.id}).`,
  })
  const title = `What is a ${WORD}`
  const asked = await aQuestion(db, {
    course,
    author: leaver,
    title,
    tags: [`${WORD}-tag`],
    body: `A ${WORD}. ${await picture()}`,
  })
  const answer = await anAnswer(db, {
    question: theirs,
    author: leaver,
    body: `${WORD} one. ${await picture()}`,
  })
  const hidden = await anAnswer(db, { question: theirs, author: leaver, body: `${WORD} two` })
  await aReply(db, { answer, author: leaver, body: `${WORD} three` })
  await anAnswer(db, { question: asked, author: other, body: 'It stays.' })
  await aReply(db, { answer, author: other, body: 'It stays, too.' })
  return { db, dataDir, course, leaver, other, browser, theirs, asked, answer, hidden, app }
}

/** What they leave behind beside posts: edits with reasons, drafts, an address that mail comes back from. */
async function leaveTraces({
  db,
  browser,
  leaver,
  theirs,
  asked,
  answer,
  hidden,
}: Awaited<ReturnType<typeof aLeaver>>) {
  await sql`update answers set written_at = now() - interval '1 hour' where id = ${answer.id}`.execute(db)
  await sql`update questions set written_at = now() - interval '1 hour'`.execute(db)
  const edited = async (path: string, fields: Record<string, string>) => {
    const { statusCode } = await browser.post(path, { version: '1', reason: `A ${WORD}`, ...fields })
    assert.equal(statusCode, 303, path)
  }
  await edited(`/answers/${answer.id}/edit`, { body: `${WORD} again` })
  const question = { course: '', category: '', lecture: '', tags: `${WORD}-tag` }
  await edited(`/questions/${asked.id}/edit`, { ...question, title: asked.title, body: `More ${WORD}` })
  await edited(`/questions/${theirs.id}/edit`, {
    ...question,
    title: theirs.title,
    tags: '',
    body: 'Mended.',
  })
  await browser.post(`/answers/${hidden.id}/delete`)
  const place = `/questions/${theirs.id}/answers`
  await saveDraft(db, { personId: leaver.id, place, fields: { body: `A draft, ${WORD}` }, version: 0 })
  await sql`update people set mail_stopped_for = email where id = ${leaver.id}`.execute(db)
  await indexQueued(db)
  await refreshStatistics(db)
}

/** Everything that is left of the word, but for the exceptions. */
async function leftIn(db: Database): Promise<string[]> {
  const allowed = await exceptions()
  return (await columnsWith(db, WORD)).filter((column) => !allowed.has(column))
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

suite('somebody who takes everything along', () => {
  test('leaves no word in any column, no picture, and none in a backup', async (t) => {
    const forum = await aLeaver(t)
    const { db, dataDir, browser, app, theirs, asked, answer, hidden, course } = forum
    await leaveTraces(forum)
    assert.ok((await leftIn(db)).length > 12, 'the words are looked for where they are')
    const uploads = join(dataDir, 'uploads')
    assert.equal((await filesIn(uploads)).length, 4)
    await browser.post('/settings/account/delete', { posts: 'delete', current_password: PASSWORD })

    assert.deepEqual(await leftIn(db), [])
    assert.deepEqual(await filesIn(uploads), [])
    assert.deepEqual(await recount(db), [])
    const path = await aBackup({ db, url: addressOf(db), dataDir }, join(dataDir, 'forum.backup'))
    const [restored, folder] = [await newDatabase(t), await aTemporaryFolder(t)]
    await restoreInto({ url: restored.url, dataDir: folder }, path)
    assert.deepEqual(await leftIn(restored.db), [])
    assert.deepEqual(await filesIn(folder), [])

    // Nobody brings it back, and what others wrote below it stays.
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    for (const post of [`answers/${answer.id}`, `answers/${hidden.id}`, `questions/${asked.id}`]) {
      assert.equal((await staff.post(`/${post}/restoration`)).statusCode, 410, post)
      assert.equal((await staff.get(`/${post}/history`)).statusCode, 410, post)
    }
    const page = await staff.get(questionPath(asked))
    assert.equal(page.statusCode, 410)
    assert.match(page.body, /It stays\./)
    assert.doesNotMatch(page.body, /restoration/)
    assert.doesNotMatch((await staff.get(questionPath(theirs))).body, /restoration/)
    await assert.rejects(
      sql`update answers set deleted_at = null, deleted_by = null where id = ${answer.id}`.execute(db),
      /answers_purged_is_empty/,
    )
  })

  test('is forgotten in steps that go on where they broke off', async (t) => {
    const forum = await aLeaver(t)
    const { db, dataDir, leaver } = forum
    await leaveTraces(forum)
    const store = pictureStore({ ...testConfig(), dataDir })
    const posts: PostsOfLeaver = {
      purge: purgePostsOf,
      unname: unnameIn,
      sweepPictures: () => sweepPictures(db, store),
    }
    await leave(db, leaver.id, 'delete')
    let steps = 0
    const killed = Object.assign(new AbortController().signal, {
      throwIfAborted: () => {
        steps += 1
        if (steps % 2 === 0) throw new Error('killed')
      },
    })
    const purge: PostsOfLeaver['purge'] = (base, personId, _, which) =>
      purgePostsOf(base, personId, killed, which)
    const kind = departing(db, { ...posts, purge })
    const job = { id: 1, key: String(leaver.id), tries: 1 }
    for (const purged of [1, 2, 3]) {
      await assert.rejects(kind.run([job], new AbortController().signal), /killed/)
      assert.equal(await purgedPosts(db, leaver.id), purged)
      assert.deepEqual(await recount(db), [])
    }
    assert.ok((await leftIn(db)).length > 0)
    // The job itself may be lost: what has begun is found again.
    await db.deleteFrom('jobs').where('kind', '=', 'departure').execute()
    await finishDepartures(db, posts)
    assert.deepEqual(await leftIn(db), [])
    assert.deepEqual(await db.selectFrom('departures').selectAll().execute(), [])
  })
})

async function purgedPosts(db: Database, personId: number): Promise<number> {
  const { rows } = await sql<{ purged: number }>`
    select count(*)::integer as purged from (
      select purged_at, author_id from questions union all select purged_at, author_id from answers
      union all select purged_at, author_id from replies) as post
    where author_id = ${personId} and purged_at is not null`.execute(db)
  return rows[0]?.purged ?? -1
}
