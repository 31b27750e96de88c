import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import { testAppThatHears } from '../testing/app.ts'
import { signedIn } from '../testing/browser.ts'
import { aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { questionPath } from '../web/paths.ts'

test('readers get a page as it was while it is made anew, and whoever wrote waits for the new one', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  const path = questionPath(question)
  const writer = await signedIn(app, await aPerson(db))
  const related = app.related.of.bind(app.related)
  // Nothing else tells the old page from one that was dropped and made again in time on a machine that is busy.
  for (let attempt = 1; ; attempt += 1) {
    await wanted(changes, () => app.inject(path))
    const making = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    app.related.of = async (...given) => {
      begun.resolve()
      await making.promise
      return related(...given)
    }
    const written = writer.post(`/questions/${question.id}/answers`, { body: `Answer number ${attempt}.` })
    await begun.promise
    const meanwhile = app.inject(path)
    const first = await Promise.race([
      meanwhile.then(() => 'read'),
      written.then(() => 'written'),
      sleep(100),
    ])
    app.related.of = related
    making.resolve()
    assert.equal((await written).statusCode, 303)
    assert.match((await app.inject(path)).body, new RegExp(`Answer number ${attempt}\\.`))
    if (first === 'read') {
      assert.doesNotMatch((await meanwhile).body, new RegExp(`Answer number ${attempt}\\.`))
      return
    }
    assert.ok(attempt < 20, 'the page as it was is never sent')
  }
})

test('whoever wrote sees it on pages that many are reading, each time', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  const writers = await severalSignedIn(db, (person) => signedIn(app, person))
  const [path, list] = [questionPath(question), '/questions?sort=active']
  let isOver = false
  const read = async (url: string) => {
    for (; !isOver; await nextRound()) assert.equal((await app.inject(url)).statusCode, 200)
  }
  const readers = [read(path), read(path), read(list), read(list)]
  for (let count = 1; count <= 24; count += 1) {
    const writer = writers[count % writers.length]
    const answer = await writer?.post(`/questions/${question.id}/answers`, {
      body: `Answer number ${count}.`,
    })
    assert.equal(answer?.statusCode, 303)
    const [page, listed] = await Promise.all([app.inject(path), app.inject(list)])
    assert.match(page.body, new RegExp(`Answer number ${count}\\.`))
    assert.match(listed.body, new RegExp(`<b>${count}</b> <span>answers?<`))
  }
  isOver = true
  await Promise.all(readers)
})

/** Asks for a page so often that it is worth making anew. */
async function wanted(changes: Changes, ask: () => Promise<unknown>): Promise<void> {
  await changes.caughtUp()
  for (let count = 0; count < 10; count += 1) await ask()
}

function severalSignedIn<Browser>(
  db: Database,
  signIn: (person: Awaited<ReturnType<typeof aPerson>>) => Browser,
) {
  return Promise.all(Array.from({ length: 8 }, async () => signIn(await aPerson(db))))
}

const sleep = (milliseconds: number) =>
  new Promise<string>((resolve) => setTimeout(resolve, milliseconds, 'waited'))
