import assert from 'node:assert/strict'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { uploaded } from '../../../forum/pictures/pictures-testing.ts'
import { testApp } from '../../../testing/app.ts'
import { signedIn } from '../../../testing/browser.ts'
import { anAnswer, aPerson, aQuestion } from '../../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../../testing/database.ts'
import { valuesOf } from '../../../testing/rows.ts'
import { checkBackups } from '../../doctor/backups.ts'
import { checkBackup } from '../check-backup.ts'
import {
  type BackupPlan,
  backUpWhenDue,
  backupName,
  isDue,
  keptBackups,
  removeOld,
} from '../regular-backups.ts'
import { aTemporaryFolder, fill, SILENT } from '../testing.ts'

const HOUR_MS = 60 * 60_000
const WHOLE = /^handup-\d{4}-\d\d-\d\dT\d{6}\.backup$/

suite('backups that the forum makes by itself', () => {
  test('the first is made at once and can be restored, the next when it is due, by one of several processes', async (t) => {
    const { source, plan, backUp } = await aForum(t)
    const made = (await Promise.all([backUp(), backUp(), backUp()])).filter((one) => one !== null)
    assert.deepEqual([made.length, (await readdir(plan.folder)).length], [1, 1])
    const name = made[0]?.name ?? ''
    assert.match(name, WHOLE)
    const checked = await checkBackup(join(plan.folder, name), SILENT)
    assert.equal(checked.manifest.tables.find((table) => table.name === 'questions')?.rows, 1)

    assert.equal(await backUp(), null, 'not due')
    await rm(join(plan.folder, name))
    await source.db.transaction().execute(async (other) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('handup regular backup', 0))`.execute(other)
      assert.equal(await backUp(), null, 'another process makes it')
    })
    assert.match((await backUp())?.name ?? '', WHOLE)
  })

  test('one that lacks pictures is named so, and pushes out old ones but not the last complete one', async (t) => {
    const { source, plan, backUp } = await aForum(t)
    const whole = await old(plan, 50, 'whole')
    const lacking = await old(plan, 40, 'incomplete')
    await old(plan, 60, 'whole')
    const author = await aPerson(source.db)
    const app = await testApp(t, source.db, { dataDir: source.dataDir })
    await anAnswer(source.db, { author, body: (await uploaded(await signedIn(app, author))).markdown })
    await rm(join(source.dataDir, 'uploads'), { recursive: true })

    const made = await backUp()
    assert.equal(made?.harmed.length, 1)
    assert.match(made?.name ?? '', /\.incomplete\.backup$/)
    assert.deepEqual((await readdir(plan.folder)).sort(), [whole, lacking, made?.name])
    const [finding] = await checkBackups({ backups: plan }, Date.now())
    assert.equal(finding?.state, 'problem')
    assert.match(finding?.says ?? '', /the last complete one 2 days old: the ones after it lack pictures/)
  })

  test('what a killed process left half-written goes, what others put there stays', async (t) => {
    const { plan, backUp } = await aForum(t)
    const theirs = ['notes.txt', 'handup-2026-01-01.backup', 'handup-2026-01-01T030000.backup.0a.part']
    const left = ['handup-2026-01-01T030000.unchecked', 'handup-2026-01-01T030000.unchecked.12ab34cd.part']
    for (const name of [...theirs, ...left]) await writeFile(join(plan.folder, name), 'half')
    const made = await backUp()
    assert.deepEqual((await readdir(plan.folder)).sort(), [...theirs, made?.name].sort())
  })

  test('a stop in the middle leaves nothing, neither while it is written nor while it is read back', async (t) => {
    const { source, plan } = await aForum(t)
    await fill(source.url, 20)
    for (const seen of [/\.part$/, /\.unchecked$/]) {
      const stopping = new AbortController()
      const made = backUpWhenDue(source, plan, stopping.signal)
      await seenIn(plan, seen, made)
      stopping.abort()
      await assert.rejects(made, /not made: it was stopped/)
      assert.deepEqual(await readdir(plan.folder), [])
    }
  })

  test('one that is damaged before it was read back is none', async (t) => {
    const { source, plan, backUp } = await aForum(t)
    await fill(source.url, 20)
    const made = backUp()
    const name = await seenIn(plan, /\.unchecked$/, made)
    await truncate(join(plan.folder, name), 5_000_000)
    await assert.rejects(made, /unchecked is .*damaged/)
    assert.deepEqual(await readdir(plan.folder), [])
  })

  test('a folder that is none is told in one line', async (t) => {
    const { plan, backUp } = await aForum(t)
    await rm(plan.folder, { recursive: true })
    await writeFile(plan.folder, 'a file')
    await assert.rejects(
      backUp(),
      /^BackupError: \S+ lies below something that is no folder$|^Error: \S+ lies below something that is no folder$/,
    )
  })
})

test('when the next is due follows from the files, whatever the clock was', () => {
  const plan = { folder: '', everyMs: 6 * HOUR_MS, keep: 3 }
  const at = (hours: number) => ({ name: '', at: hours * HOUR_MS, isWhole: true })
  assert.equal(isDue(plan, [], 0), true)
  assert.equal(isDue(plan, [at(10)], 15 * HOUR_MS), false)
  assert.equal(isDue(plan, [at(10)], 16 * HOUR_MS), true)
  assert.equal(isDue(plan, [at(99), at(10)], 15 * HOUR_MS), false)
  assert.equal(isDue(plan, [at(99), at(10)], 16 * HOUR_MS), true, 'one from the future')
})

test('the newest are kept, and doctor says how old the last complete one is', async (t) => {
  const plan = await aPlan(t)
  const state = async () => (await checkBackups({ backups: plan }, Date.now()))[0]
  assert.equal((await state())?.state, 'warning')
  const names: string[] = []
  for (const hours of [3, 9, 15]) names.push(await old(plan, hours, 'whole'))
  await removeOld(plan)
  assert.deepEqual(valuesOf(await keptBackups(plan.folder), 'name'), names.slice(0, 2))
  assert.equal((await state())?.state, 'ok')
  assert.match((await state())?.says ?? '', /^2 in .*, the last complete one 3 h old$/)
  assert.equal((await checkBackups({ backups: plan }, Date.now() + 20 * HOUR_MS))[0]?.state, 'problem')
  await rm(plan.folder, { recursive: true })
  assert.match((await state())?.says ?? '', /is not there/)
  assert.deepEqual(await checkBackups({ backups: null }, 0), [])
})

async function aPlan(t: TestContext): Promise<BackupPlan> {
  return { folder: await aTemporaryFolder(t), everyMs: 6 * HOUR_MS, keep: 2 }
}

/** Resolves with the name of a file as soon as it is there. @param made ends the waiting, too */
async function seenIn({ folder }: BackupPlan, pattern: RegExp, made: Promise<unknown>): Promise<string> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  made.then(end, end)
  while (!isOver) {
    const name = (await readdir(folder)).find((one) => pattern.test(one))
    if (name !== undefined) return name
  }
  throw new Error(`no file ${pattern} was seen`)
}

async function aForum(t: TestContext) {
  const { db, url } = await testDatabaseWithUrl(t)
  await aQuestion(db)
  const source = { db, url, dataDir: await aTemporaryFolder(t) }
  const plan = await aPlan(t)
  const { signal } = new AbortController()
  return { source, plan, backUp: () => backUpWhenDue(source, plan, signal) }
}

/** A file in the place of a backup that was made so many hours ago. */
async function old({ folder }: BackupPlan, hours: number, state: 'whole' | 'incomplete'): Promise<string> {
  const name = backupName(new Date(Date.now() - hours * HOUR_MS), state)
  await writeFile(join(folder, name), 'old')
  return name
}
