import assert from 'node:assert/strict'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../../config.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { testApp } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { signedIn } from '../../testing/browser.ts'
import { anAnswer, aPerson } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { checkPictureFiles, checkRestores } from '../doctor/pictures.ts'
import { leftByRestores } from './restored-uploads.ts'
import { aBackup, aTemporaryFolder, handup, restoreInto } from './testing.ts'

/** A forum whose post shows a picture, and another picture that no post shows. */
async function aForumWithPictures(t: Ending) {
  const dataDir = await aTemporaryFolder(t)
  const { db, url } = await testDatabaseWithUrl(t)
  const author = await aPerson(db)
  const app = await testApp(t, db, { dataDir })
  const browser = await signedIn(app, author)
  await anAnswer(db, { author, body: (await uploaded(browser)).markdown })
  await uploaded(browser)
  const shown = await db
    .selectFrom('images')
    .innerJoin('post_images', 'image_id', 'id')
    .select(['name', 'fallback'])
    .executeTakeFirstOrThrow()
  const pathOf = (extension: string) =>
    join(dataDir, 'uploads', shown.name.slice(0, 2), `${shown.name}.${extension}`)
  const doctor = () => checkPictureFiles(db, readConfig({ DATABASE_URL: url, DATA_DIR: dataDir }))
  return { db, url, dataDir, shown, webp: pathOf('webp'), other: pathOf(shown.fallback), doctor }
}

suite('a picture that a post shows', () => {
  test('is missed by backup and doctor when it is lost or damaged, and comes back from a whole backup', async (t) => {
    const { db, url, dataDir, shown, webp, other, doctor } = await aForumWithPictures(t)
    const whole = await aBackup({ db, url, dataDir }, join(dataDir, 'whole.backup'))
    assert.equal((await doctor()).state, 'ok')
    const content = await readFile(webp)

    const environment = { DATABASE_URL: url, DATA_DIR: dataDir }
    const damage: readonly [RegExp, () => Promise<void>][] = [
      [/\.webp is damaged/, () => writeFile(webp, Buffer.alloc(content.length, 7))],
      [/\.webp is damaged/, () => writeFile(webp, content.subarray(1))],
      [/\.webp is missing/, () => rm(webp)],
    ]
    for (const [says, harm] of damage) {
      await harm()
      const found = await doctor()
      assert.equal(found.state, 'problem')
      assert.match(found.says, says)
      assert.ok(found.says.includes(shown.name))
      const made = await handup(environment, 'backup', join(dataDir, 'harmed.backup'), '--replace')
      assert.equal(made.code, 3, made.output)
      assert.match(made.output, says)
      assert.match(made.output, /backed up/)
    }
    await rm(other)
    const put = await handup(environment, 'restore', whole, '--pictures')
    assert.equal(put.code, 0, put.output)
    assert.match(put.output, /put back 2 files .* 0 are still/)
    assert.deepEqual(await readFile(webp), content)
    assert.equal((await doctor()).state, 'ok')
  })

  test('is no loss when its post or its row goes during the backup, or no post shows it', async (t) => {
    const { db, url, dataDir, shown, doctor } = await aForumWithPictures(t)
    const rows = await db.selectFrom('images').select(['name']).where('name', '<>', shown.name).execute()
    for (const { name } of rows) await rm(join(dataDir, 'uploads', name.slice(0, 2)), { recursive: true })
    assert.equal((await doctor()).state, 'ok')
    const made = await handup({ DATABASE_URL: url, DATA_DIR: dataDir }, 'backup', join(dataDir, 'x.backup'))
    assert.equal(made.code, 0, made.output)
  })

  test('that was kept before digests were noted is compared by its bytes', async (t) => {
    const { db, webp, doctor } = await aForumWithPictures(t)
    await sql`update images set webp_sha256 = null, fallback_sha256 = null`.execute(db)
    assert.equal((await doctor()).state, 'ok')
    await writeFile(webp, 'shorter')
    assert.match((await doctor()).says, /has \d+ bytes instead of \d+/)
  })
})

test('a restore that was killed after its commit is finished by the same restore, and the doctor says so', async (t) => {
  const { db, url, dataDir } = await aForumWithPictures(t)
  const path = await aBackup({ db, url, dataDir }, join(dataDir, 'forum.backup'))
  const [target, folder] = [await newDatabase(t), await aTemporaryFolder(t)]
  await restoreInto({ url: target.url, dataDir: folder }, path)
  const uploads = join(folder, 'uploads')
  const files = (await readdir(uploads, { recursive: true })).sort()
  const { rows } = await sql<{ id: string }>`select encode(backup_sha256, 'hex') as id from restores`.execute(
    target.db,
  )
  // What is there when the process dies between the commit and the rename.
  await rename(uploads, `${uploads}.${rows[0]?.id.slice(0, 16)}.whole`)
  const [finding] = await checkRestores({ dataDir: folder })
  assert.equal(finding?.state, 'problem')
  assert.match(finding?.advice ?? '', /same restore again/)

  assert.deepEqual(await restoreInto({ url: target.url, dataDir: folder }, path), {
    leftOut: [],
    isFinished: true,
  })
  assert.deepEqual((await readdir(uploads, { recursive: true })).sort(), files)
  assert.deepEqual(await leftByRestores(folder), [])
  await assert.rejects(
    restoreInto({ url: target.url, dataDir: folder }, path),
    /already has uploads|is in use/,
  )

  // Killed before the commit: nothing of it is in the database, and the restore begins anew.
  const [empty, other] = [await newDatabase(t), await aTemporaryFolder(t)]
  await rename(uploads, join(other, `uploads.${rows[0]?.id.slice(0, 16)}.whole`))
  assert.equal((await restoreInto({ url: empty.url, dataDir: other }, path)).isFinished, false)
  assert.deepEqual((await readdir(join(other, 'uploads'), { recursive: true })).sort(), files)
  assert.deepEqual(await leftByRestores(other), [])
})
