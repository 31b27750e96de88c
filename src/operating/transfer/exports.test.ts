import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act, refuses } from '../../testing/act.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aMember } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { columnsOf, rowsOf } from '../../testing/rows.ts'
import { tryExchange } from '../exchange/course-import.ts'
import { aFolder, aWholeCourse } from '../exchange/course-testing.ts'
import { courseExport, exportKind, sweepExports } from './asked-export.ts'

suite('exporting a course from its settings', () => {
  test('an instructor who shows who they are gets a file, which is theirs alone', async (t) => {
    const { db, app, course, staff, folder, path, made } = await aScene(t)
    const browser = await signedIn(app, staff)
    const unproven = await browser.post(path, { pseudonymous: '1', current_password: 'wrong' })
    assert.equal(unproven.statusCode, 422)
    assert.equal((await rowsOf(db, 'course_exports', {})).length, 0)

    const proven = await signedIn(app, staff, ['password'])
    const asked = await proven.post(path, {})
    assert.deepEqual([asked.statusCode, asked.headers.location], [303, path])
    assert.match(textOf((await proven.get(path)).body), /Being written/)
    await made()
    const page = await proven.get(path)
    const link = new RegExp(`href="(${path}/\\d+)"`).exec(page.body)?.[1] ?? assert.fail('no link')
    const file = await proven.get(link)
    assert.equal(file.statusCode, 200)
    assert.match(
      String(file.headers['content-disposition']),
      /^attachment; filename="rest-\d{4}-\d\d-\d\d\.tar\.zst"$/,
    )
    assert.equal(file.headers['cache-control'], 'no-store')
    const kept = join(folder, 'kept.tar.zst')
    await writeFile(kept, file.rawPayload)
    assert.ok(((await tryExchange(kept)).counts.questions?.imported ?? 0) > 0)

    const other = await signedIn(app, await aMember(db, course, 'instructor'), ['password'])
    assert.equal((await other.get(link)).statusCode, 404, 'another instructor')
    assert.doesNotMatch((await other.get(path)).body, new RegExp(link))
    assert.equal(
      (await (await signedIn(app, await aMember(db, course, 'assistant'))).get(link)).statusCode,
      403,
    )

    await sql`update course_exports set asked_at = now() - interval '25 hours'`.execute(db)
    assert.equal((await proven.get(link)).statusCode, 404, 'after a day')
    const [row] = await rowsOf(db, 'course_exports', {})
    assert.equal(await sweepExports(db, app.pictures), 1)
    assert.equal(await app.pictures.stream(row?.file ?? ''), null)
    assert.deepEqual(await rowsOf(db, 'course_exports', {}), [])
  })

  test('the audit log says whether it has names, and one waits at a time', async (t) => {
    const { db, course, staff, made } = await aScene(t)
    const call = { actor: staff, key: course.slug }
    await refuses({ db }, courseExport, { actor: await aMember(db, course, 'assistant'), key: course.slug }, [
      [{ pseudonymous: '1' }, 'forbidden'],
    ])
    await act({ db }, courseExport, { ...call, input: { pseudonymous: '1' } })
    await refuses({ db }, courseExport, call, [[{}, 'pseudonymous: transfer.export.busy']])
    await made()
    await act({ db }, courseExport, call)
    const entries = await rowsOf(db, 'audit', { act: 'course-exported' })
    assert.deepEqual(
      columnsOf(entries, 'detail', 'course_id'),
      [true, false].map((isPseudonymous) => [{ isPseudonymous }, course.id]),
    )
    await made()
    assert.deepEqual(columnsOf(await rowsOf(db, 'course_exports', {}), 'state', 'is_pseudonymous'), [
      ['made', true],
      ['made', false],
    ])
  })

  test('one that can’t be written is told as failed, and the file of someone who left goes', async (t) => {
    const { db, app, course, staff, kind, made } = await aScene(t)
    await act({ db }, courseExport, { actor: staff, key: course.slug })
    const [row] = await rowsOf(db, 'course_exports', {})
    await kind.failed?.({ id: 1, key: String(row?.id), tries: 5 }, false)
    assert.match(
      textOf((await (await signedIn(app, staff)).get(`/courses/${course.slug}/settings/export`)).body),
      /couldn’t be written/,
    )
    await act({ db }, courseExport, { actor: staff, key: course.slug })
    await made()
    await sql`update course_exports set asked_by = null`.execute(db)
    assert.equal(await sweepExports(db, app.pictures), 2)
  })
})

async function aScene(t: TestContext) {
  const db = await testDatabase(t)
  const folder = await aFolder(t)
  const app = await testApp(t, db, { dataDir: folder })
  const { course, staff } = await aWholeCourse(db, join(folder, 'uploads'))
  const kind = exportKind(db, { store: app.pictures, baseUrl: app.config.baseUrl })
  const path = `/courses/${course.slug}/settings/export`
  return { db, app, course, staff, folder, path, kind, made: () => doJobs(db, kind) }
}
