import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { visitor } from '../../testing/browser.ts'
import { aForum } from '../../testing/forum.ts'
import { ENDPOINTS } from './endpoints.ts'
import { openApi } from './openapi.ts'

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly description?: string
  readonly format?: string
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: Readonly<Record<string, unknown>>
}

suite('the document of the API', () => {
  const document = openApi('https://forum.example') as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  }
  const bodyOf = (path: string, method: string) =>
    document.paths[path]?.[method]?.requestBody?.content['application/json'].schema.properties ?? {}

  test('is valid OpenAPI to a linter of others', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'handup-openapi-'))
    t.after(() => rm(folder, { recursive: true }))
    const file = join(folder, 'openapi.json')
    await writeFile(file, JSON.stringify(document))
    const redocly = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js')
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    await promisify(execFile)(process.execPath, [redocly, 'lint', '--extends=recommended', file], {
      env,
      cwd: folder,
    })
  })

  test('has every endpoint once, under a name of its own', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    assert.equal(operations.length, ENDPOINTS.length)
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, ENDPOINTS.length)
    for (const { summary, responses } of operations) {
      assert.ok(summary.length > 3)
      for (const status of [400, 401, 403, 429, 500, 503]) assert.ok(status in responses)
    }
  })

  test('publishes the limits of the contract', () => {
    const question = bodyOf('/courses/{course}/questions', 'post')
    const { title, body, tags } = question
    assert.deepEqual([title?.minLength, title?.maxLength], [3, 150])
    assert.deepEqual([body?.minLength, body?.maxLength], [1, 30_000])
    assert.deepEqual([tags?.maxItems, tags?.items?.maxLength], [5, 32])
    const answer = bodyOf('/questions/{id}/answers', 'post').body
    assert.deepEqual([answer?.minLength, answer?.maxLength], [1, 30_000])
    const reply = bodyOf('/answers/{id}/replies', 'post').body
    assert.deepEqual([reply?.minLength, reply?.maxLength], [1, 5000])
    assert.deepEqual(bodyOf('/questions/{id}', 'patch').title, title)
  })

  test('says of each field what it is, at any depth, and of each address that it is whole', () => {
    let told = 0
    const look = (schema: Schema | undefined, where: string) => {
      for (const [name, field] of Object.entries(schema?.properties ?? {})) {
        assert.ok((field.description ?? '').length > 3, `${where}.${name}`)
        const [whole = field] = (field.anyOf ?? []).filter(({ type }) => type !== 'null')
        if (name === 'url') assert.equal(whole.format, 'uri', where)
        told += 1
        look(field, `${where}.${name}`)
      }
      if (schema?.items !== undefined) look(schema.items, where)
      for (const one of schema?.anyOf ?? []) look(one, where)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name)
    for (const methods of Object.values(document.paths))
      for (const { operationId, requestBody } of Object.values(methods))
        for (const { schema } of Object.values(requestBody?.content ?? {})) look(schema, operationId)
    assert.ok(told > 250)
  })

  test('lists each code, which the page describes in each language where its type leads', async (t) => {
    const { app } = await aForum(t)
    const { code, errors } = document.components.schemas.Problem?.properties ?? {}
    const codes = code?.enum ?? []
    const fieldCodes = errors?.items?.properties?.code?.enum ?? []
    assert.ok(codes.length > 30 && fieldCodes.length > 30)
    for (const language of ['en', 'ko']) {
      const page = (await visitor(app).get('/api', { 'accept-language': language })).body
      for (const one of codes) assert.match(page, new RegExp(`<tr id="problem-${one}">`))
      for (const one of fieldCodes) assert.ok(page.includes(`<code>${one}</code>`), one)
    }
  })

  test('refers to nothing that is not there', () => {
    const text = JSON.stringify(document)
    const refs = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path.split('/'))
    assert.ok(refs.length > 100)
    for (const path of refs) {
      const found = path.reduce<unknown>(
        (at, name) => (at as Record<string, unknown> | undefined)?.[name],
        document,
      )
      assert.ok(found !== undefined, path.join('/'))
    }
  })
})
