import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { suspend } from '../../forum/cases/acts-on-people.ts'
import { picture } from '../../forum/pictures/pictures-testing.ts'
import { UPLOADS } from '../../kernel/limits.ts'
import { signedIn } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { multipartForm } from '../../testing/multipart.ts'
import { rowOf, rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { aProgram, holdAgainstDocument } from './testing.ts'

suite('programs upload pictures', () => {
  const forum = sharedForum()

  async function send(token: string | null, payload: Buffer, type: string, query = '') {
    const headers = { 'content-type': type, ...(token !== null && { authorization: `Bearer ${token}` }) }
    const url = `/api/v1/uploads${query}`
    const answer = await forum.app.inject({ method: 'POST', url, headers, payload })
    holdAgainstDocument('POST', '/uploads', answer)
    return answer
  }
  const aWriter = async () => aToken(forum, await aPerson(forum.db), ['write'])

  test('as the body, or as the file of a form: the same answer as the form’s', async () => {
    const token = await aWriter()
    const bytes = await picture(30, 20)
    const file = { bytes, filename: 'a.png', type: 'image/png' }
    const { raw, contentType } = multipartForm({ alt: 'A [red] square' }, file)
    for (const answer of [
      await send(token, bytes, 'image/png', '?alt=A%20%5Bred%5D%20square'),
      await send(token, raw, contentType),
    ]) {
      assert.equal(answer.statusCode, 201, answer.body)
      const { url, ...rest } = answer.json()
      const [, path = '', name = ''] =
        /^http:\/\/localhost:3000(\/uploads\/([\w-]{22}-30x20))$/.exec(url) ?? assert.fail(url)
      assert.deepEqual(rest, { markdown: `![A \\[red\\] square](${path})`, width: 30, height: 20 })
      assert.equal(answer.headers.location, url)
      assert.equal((await rowOf(forum.db, 'images', { name })).alt, 'A [red] square')
    }
  })

  test('one that a text names by its whole address is ours, whatever the text came by', async () => {
    const author = await aPerson(forum.db)
    const question = await aQuestion(forum.db)
    const token = await aToken(forum, author, ['read', 'write'])
    const { url, markdown } = (await send(token, await picture(30, 20), 'image/png', '?alt=Red')).json()
    const path = new URL(url).pathname
    const posted = await aProgram(forum.app, token).send('POST', `/questions/${question.id}/answers`, {
      body: `See ![Red](${url}) and ![other](https://other.example${path}).`,
    })
    assert.match(posted.json().body_html, new RegExp(`<img src="${path}" alt="Red" width="30"`))
    assert.ok(posted.json().body.startsWith(`See ${markdown} and ![other](https://other.example/`))
    const browser = await signedIn(forum.app, author)
    await browser.post(`/questions/${question.id}/answers`, { body: `By a form: ![Red](${url})` })
    const answers = await rowsOf(forum.db, 'answers', { question_id: question.id })
    assert.ok(answers.some(({ body }) => body === `By a form: ${markdown}`))
    const preview = await browser.post('/preview', { body: `![Red](${url})` })
    assert.match(preview.body, new RegExp(`<img src="${path}"`))
  })

  test('what is no picture, too large or of another type is told as a problem', async () => {
    const token = await aWriter()
    const broken = await send(token, Buffer.from('<svg/>'), 'image/svg+xml')
    assert.deepEqual([broken.statusCode, broken.json().errors[0].code], [422, 'kind'])
    assert.equal(broken.json().errors[0].pointer, '/file')
    const { raw, contentType } = multipartForm({ alt: 'None' }, null)
    assert.equal((await send(token, raw, contentType)).json().errors[0].code, 'empty')
    const large = Buffer.alloc(UPLOADS.fileBytes + 1)
    assert.equal((await send(token, large, 'image/png')).statusCode, 413)
    const form = multipartForm({}, { bytes: large, filename: 'a.png', type: 'image/png' })
    assert.equal((await send(token, form.raw, form.contentType)).statusCode, 413)
    for (const type of ['application/json', 'text/plain']) {
      const other = await send(token, Buffer.from('{}'), type)
      assert.equal(other.statusCode, 415)
      assert.match(other.json().detail, /multipart\/form-data/)
    }
    const bytes = { bytes: await picture(), filename: 'a.png', type: 'image/png' }
    const latin = multipartForm({ alt: 'caf#' }, bytes)
    const raw1 = Buffer.from(latin.raw.toString('latin1').replace('caf#', 'caf\u00e9'), 'latin1')
    assert.equal((await send(token, raw1, latin.contentType)).statusCode, 400)
    assert.equal((await send(token, await picture(), 'image/png', '?alt=%00')).statusCode, 400)
    assert.equal((await send(token, await picture(), 'image/png', `?alt=${'x'.repeat(301)}`)).statusCode, 422)
  })

  test('nothing is taken that is not known: a parameter, a field, a file under another name', async () => {
    const token = await aWriter()
    const file = { bytes: await picture(), filename: 'a.png', type: 'image/png' }
    for (const search of ['?alt=a&alt=b', '?title=a'])
      assert.equal((await send(token, file.bytes, file.type, search)).statusCode, 400, search)
    const form = multipartForm({ alt: 'A' }, file)
    assert.equal((await send(token, form.raw, form.contentType, '?alt=B')).statusCode, 400)
    const strange = multipartForm({ alt: 'A', licence: 'CC0' }, file)
    const misnamed = Buffer.from(form.raw.toString('latin1').replace('name="file"', 'name="photo"'), 'latin1')
    for (const [raw, pointer] of [
      [strange.raw, '/licence'],
      [misnamed, '/photo'],
    ] as const) {
      const refused = await send(token, raw, form.contentType)
      assert.deepEqual([refused.statusCode, refused.json().errors[0].pointer], [422, pointer])
    }
  })

  test('not without a token that writes, nor by who is suspended', async () => {
    const bytes = await picture()
    assert.equal((await send(null, bytes, 'image/png')).statusCode, 401)
    const person = await aPerson(forum.db)
    assert.equal((await send(await aToken(forum, person, ['read']), bytes, 'image/png')).statusCode, 403)
    const token = await aToken(forum, person, ['write'])
    const admin = await aPerson(forum.db, { isAdmin: true })
    const everywhere = { personId: person.id, courseId: null, until: null, note: 'Spam' }
    await within(forum.db, suspend, admin.id, everywhere)
    const refused = await send(token, bytes, 'image/png')
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'suspended'])
    assert.deepEqual(await rowsOf(forum.db, 'images', { uploader_id: person.id }), [])
  })
})
