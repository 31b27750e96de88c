import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { packTar } from 'modern-tar'
import type { FileStore } from '../../forum/pictures/store.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { enqueue } from '../../jobs/table.ts'
import { act, refuses } from '../../testing/act.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aDump, aDumpAnswer, aDumpQuestion } from '../../testing/dumps.ts'
import { multipartForm } from '../../testing/multipart.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { aZip } from '../../testing/zips.ts'
import { exportCourse } from '../exchange/course-export.ts'
import { aFolder, aWholeCourse } from '../exchange/course-testing.ts'
import { takingBack } from '../exchange/taking-back.ts'
import { importBringing, importDiscarding, importStart, keepUpload, sweepImports } from './brought-import.ts'
import { importKind } from './import-job.ts'
import { aTriedImport } from './row-testing.ts'

suite('importing into a course from its settings', () => {
  test('a file is tried first, imported when its bringer says so, and gone then', async (t) => {
    const scene = await aScene(t)
    const { db, browser, path, work, files } = scene
    for (const [source, bytes] of [
      ['handup', await anExport(scene)],
      ['stackexchange', await aPackedDump(t)],
    ] as const) {
      const brought = await bring(scene, browser, bytes)
      assert.deepEqual([brought.statusCode, brought.headers.location], [303, path], textOf(brought.body))
      assert.match(textOf((await browser.get(path)).body), /Being checked/)
      assert.equal((await files()).length, 1)
      await work()
      const page = await browser.get(path)
      assert.match(textOf(page.body), /Checked\. Nothing is imported yet/)
      const before = (await rowsOf(db, 'questions', { course_id: scene.course.id })).length
      assert.match(textOf(page.body), /Questions: \d+/)
      const start = /action="([^"]+\/start)"/.exec(page.body)?.[1] ?? assert.fail('no start')
      assert.equal((await browser.post(start, {})).statusCode, 303)
      await work()
      const after = textOf((await browser.get(path)).body)
      assert.match(after, /Imported/)
      assert.doesNotMatch(after, /Nothing is imported yet/)
      assert.ok((await rowsOf(db, 'questions', { course_id: scene.course.id })).length > before)
      const [row] = (await rowsOf(db, 'course_imports', {})).slice(-1)
      assert.deepEqual([row?.state, row?.source, row?.file], ['shown', source, null])
      assert.deepEqual(await files(), [])
    }
    const noted = await rowsOf(db, 'audit', { act: 'course-imported' })
    assert.deepEqual(valuesOf(noted, 'detail'), [
      { importId: 1, source: 'handup' },
      { importId: 2, source: 'stackexchange' },
    ])
  })

  test('only who shows that they are an instructor brings a file, and it must be one that fits', async (t) => {
    const scene = await aScene(t)
    const { db, app, course, browser, work, files } = scene
    const bytes = await aPackedDump(t)
    const refused = async (by: Browser, sent: Parameters<typeof bring>[2], status: number, says: RegExp) => {
      const answer = await bring(scene, by, sent)
      assert.equal(answer.statusCode, status)
      assert.match(textOf(answer.body), says)
      assert.deepEqual(await rowsOf(db, 'course_imports', {}), [])
      assert.deepEqual(await files(), [])
      await until('what was sent is gone', async () => (await leftovers()).length === 0)
    }
    await refused(browser, null, 422, /Choose a file/)
    await refused(browser, Buffer.alloc(1024 * 1024 + 1), 413, /too large \(max 1 MB\)/)
    await refused(await signedIn(app, scene.staff), bytes, 422, /Enter your password|password/)
    await refused(
      await signedIn(app, await aMember(db, course, 'assistant'), ['password']),
      bytes,
      403,
      /access/,
    )

    // What is none is told in the forum's words, and nothing of it stays.
    await bring(scene, browser, Buffer.from('nonsense'))
    await work()
    const page = await browser.get(scene.path)
    assert.match(textOf(page.body), /Failed.*Handup doesn’t know this file/)
    assert.doesNotMatch(page.body, /handup-brought/)
    assert.deepEqual(await files(), [])
    assert.deepEqual(await rowsOf(db, 'import_runs', {}), [])
  })

  test('what is told of a file may quote any characters of it', async (t) => {
    const scene = await aScene(t)
    const head = 'topic_id,topic_title,post_id,post_parent_id,post_message,post_timestamp'
    const row = (topic: string) => `\n${topic},A title,,,,2020-01-01T00:00:00Z`
    const table = `${head}${row('a\0')}${row('b')}${row('a\0')}`
    await bring(scene, scene.browser, aZip([{ name: 'a.csv', content: table }]))
    await scene.work()
    assert.match(
      (await rowOf(scene.db, 'course_imports', {})).problem ?? '',
      /line 4: the rows of topic a are apart/,
    )
    const posts = [
      { id: 'p', type: 'question', created: '2020-01-01T00:00:00Z', children: [{ id: 'c', type: 'x\0' }] },
    ]
    const zip = aZip([{ name: 'class_content.json', content: JSON.stringify(posts) }])
    await bring(scene, scene.browser, zip)
    await scene.work()
    assert.equal((await rowsOf(scene.db, 'course_imports', { state: 'tried' })).length, 1)
  })

  test('one at a time comes into a course, and one that is discarded makes room', async (t) => {
    const { db, app, course, staff, browser, path, files, work, bringHere } = await aScene(t)
    const first = await bringHere()
    const call = { actor: staff, key: course.slug, input: { file_name: 'b.zip' } }
    await refuses({ db }, importBringing, call, [[call.input, 'file: transfer.import.busy']])
    const other = await aCourse(db)
    const instructor = await aMember(db, other, 'instructor')
    for (const operation of [importStart, importDiscarding])
      await refuses({ db }, operation, { actor: instructor, key: { slug: other.slug, part: first } }, [
        [{}, 'notFound'],
      ])
    await refuses({ db }, importStart, { actor: staff, key: { slug: course.slug, part: first } }, [
      [{}, 'invalid'],
    ])
    assert.equal((await browser.post(`${path}/${first}/undo`, {})).statusCode, 303)
    assert.deepEqual(await files(), [])
    await work()
    assert.equal((await rowsOf(db, 'course_imports', {}))[0]?.state, 'discarded')
    await bringHere()
    const late = { id: first, file: `${'1'.repeat(32)}.upload` }
    await keepUpload(db, app.pictures, late, await aFileOf(t, Buffer.from('late')))
    assert.equal((await files()).length, 1, 'what came too late is gone')
  })

  test('what the file doesn’t say is asked, and what isn’t chosen shows least', async (t) => {
    const { db, course, staff, browser, path } = await aScene(t)
    const told = { imported: { questions: 2 }, skipped: { answers: { 'for a new reason': 3 } }, notes: {} }
    const tried = async () => {
      await db.deleteFrom('course_imports').execute()
      const id = await aTriedImport(db, course.id)
      const asking = { source: 'stackexchange', told: JSON.stringify({ ...told, asks: ['anonymous'] }) }
      await setRows(db, 'course_imports', id, asking)
      return id
    }
    const id = await tried()
    const page = await browser.get(path)
    assert.match(page.body, /name="anonymous"/)
    assert.doesNotMatch(page.body, /name="groups"/)
    assert.match(page.body, /lang="en">\s*Answers left out: 3 \(for a new reason\)/)
    const isPublic = async () =>
      textOf((await browser.get(path)).body).includes('Everyone on the web can read')
    for (const is_public of [true, false]) {
      await setRows(db, 'courses', course.id, { is_public })
      assert.equal(await isPublic(), is_public)
    }
    const start = async (part: number, input: Readonly<Record<string, string>>) => {
      await act({ db }, importStart, { actor: staff, key: { slug: course.slug, part }, input })
      const [row] = await rowsOf(db, 'course_imports', {})
      return [row?.state, row?.anonymous, row?.groups, row?.with_pictures]
    }
    assert.deepEqual(await start(id, {}), ['importing', 'drop', 'hold', false])
    const chosen = { anonymous: 'keep', groups: 'show', pictures: '1' }
    assert.deepEqual(await start(await tried(), chosen), ['importing', 'keep', 'show', true])
  })

  test('one whose process died goes on in another, and isn’t done twice', async (t) => {
    const scene = await aScene(t)
    const { db, app, course, staff, work, bringHere } = scene
    const id = await bringHere(await anExport(scene))
    await work()
    await act({ db }, importStart, { actor: staff, key: { slug: course.slug, part: id } })
    const dying: FileStore = {
      ...app.pictures,
      async put() {
        throw new Error('the process died')
      },
    }
    await assert.rejects(doJobs(db, importKind(db, dying)), /the process died/)
    const begun = await rowOf(db, 'course_imports', {})
    const run = await rowOf(db, 'import_runs', {})
    assert.deepEqual([begun.state, begun.run_id, run.state], ['importing', run.id, 'reading'])
    await sql`update jobs set due_at = now()`.execute(db)
    await work()
    const shown = await rowOf(db, 'course_imports', {})
    assert.deepEqual([shown.state, shown.run_id], ['shown', run.id])
    const posts = await rowsOf(db, 'questions', { course_id: course.id })
    assert.ok(posts.length > 0)

    // It died after the last step, before that was noted.
    const file = `${'0'.repeat(32)}.upload`
    await app.pictures.put(file, await anExport(scene))
    await setRows(db, 'course_imports', id, { state: 'importing', ended_at: null, file })
    await enqueue(db, 'imports', id)
    await work()
    const again = await rowOf(db, 'course_imports', {})
    assert.deepEqual([again.state, again.run_id, again.file], ['shown', run.id, null])
    assert.equal((await rowsOf(db, 'import_runs', {})).length, 1)
    assert.equal((await rowsOf(db, 'questions', { course_id: course.id })).length, posts.length)
  })

  test('one that is shown is taken back, and says what stays before', async (t) => {
    const scene = await aScene(t)
    const { db, app, course, staff, browser, path, work, bringHere } = scene
    const id = await bringHere()
    await work()
    await act({ db }, importStart, { actor: staff, key: { slug: course.slug, part: id } })
    await work()
    const question = await rowOf(db, 'questions', { course_id: course.id })
    await anAnswer(db, {
      question: { id: question.id, title: question.title, courseId: course.id, authorId: question.author_id },
    })
    const page = await browser.get(`${path}/${id}`)
    assert.equal(page.statusCode, 200, textOf(page.body))
    assert.match(textOf(page.body), /1 post stays.*has answers or replies/)
    const csv = await browser.get(`${path}/${id}/redirects.csv`)
    assert.match(csv.body, /^from,to,kind\r?\n1,http:\/\/localhost:3000\/questions\//)
    const others = await aCourse(db)
    const other = await signedIn(app, await aMember(db, others, 'instructor'))
    assert.equal((await other.get(`/courses/${others.slug}/settings/import/${id}`)).statusCode, 404)
    const undone = await browser.post(`${path}/${id}/undo`, { with_answers: '1' })
    assert.deepEqual([undone.statusCode, undone.headers.location], [303, path])
    await doJobs(db, takingBack(db))
    assert.match(textOf((await browser.get(path)).body), /Undone/)
    assert.equal((await rowOf(db, 'import_runs', {})).state, 'taken-back')
  })

  test('one that isn’t over after a day ends, and its file goes', async (t) => {
    const { db, app, files, bringHere } = await aScene(t)
    await bringHere()
    assert.equal(await sweepImports(db, app.pictures), 0)
    await sql`update course_imports set brought_at = now() - interval '25 hours'`.execute(db)
    assert.equal(await sweepImports(db, app.pictures), 1)
    assert.deepEqual(await files(), [])
    await sql`update course_imports set brought_at = now() - interval '31 days'`.execute(db)
    await sweepImports(db, app.pictures)
    assert.deepEqual(await rowsOf(db, 'course_imports', {}), [])
  })
})

async function aScene(t: TestContext) {
  const db = await testDatabase(t)
  const folder = await aFolder(t)
  const app = await testApp(t, db, { dataDir: folder, importMaxBytes: 1024 * 1024 })
  const course = await aCourse(db, { slug: 'next', title: 'The next run' })
  const staff = await aMember(db, course, 'instructor')
  const browser = await signedIn(app, staff, ['password'])
  const work = () => doJobs(db, importKind(db, app.pictures))
  /** What is where pictures are. */
  const files = async () => {
    const all = await readdir(join(folder, 'uploads'), { recursive: true }).catch(() => [])
    return all.map((file) => basename(file)).filter((file) => file.endsWith('.upload'))
  }
  const bringHere = async (bytes?: Buffer) => {
    const input = { file_name: 'dump.tar.gz' }
    const brought = await act({ db }, importBringing, { actor: staff, key: course.slug, input })
    await keepUpload(db, app.pictures, brought, await aFileOf(t, bytes ?? (await aPackedDump(t))))
    return brought.id
  }
  const path = `/courses/${course.slug}/settings/import`
  return { t, db, app, folder, course, staff, browser, path, work, files, bringHere }
}

/** @param bytes null: no file was chosen */
async function bring({ path }: { path: string }, browser: Browser, bytes: Buffer | null) {
  const fields = { _csrf: await browser.token(), source: '', current_password: '' }
  const file =
    bytes === null
      ? { bytes: Buffer.alloc(0), filename: '', type: 'application/octet-stream' }
      : { bytes, filename: 'C:\\old\\ex\u200eport', type: 'application/octet-stream' }
  return browser.post(path, {}, { ...multipartForm(fields, file), token: null })
}

async function anExport({ db, app, folder }: Awaited<ReturnType<typeof aScene>>): Promise<Buffer> {
  const path = join(folder, 'course.tar.zst')
  const kept = await readFile(path).catch(() => null)
  if (kept !== null) return kept
  await aWholeCourse(db, join(folder, 'uploads'))
  const options = { slug: 'rest', path, baseUrl: app.config.baseUrl, isPseudonymous: false }
  await exportCourse(db, app.pictures, options)
  return readFile(path)
}

async function aPackedDump(t: TestContext): Promise<Buffer> {
  const folder = await aDump(t, { posts: [aDumpQuestion(), aDumpAnswer()] })
  const entries = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const body = await readFile(join(folder, name))
      return { header: { name, size: body.length, type: 'file' as const }, body }
    }),
  )
  return gzipSync(await packTar(entries))
}

/** Folders in which this process has what was sent or brought. */
const leftovers = async () =>
  (await readdir(tmpdir())).filter((name) => /^handup-(?:upload|brought)-/.test(name))

async function aFileOf(t: TestContext, bytes: Buffer): Promise<string> {
  const path = join(await aFolder(t), 'brought')
  await writeFile(path, bytes)
  return path
}
