import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { eventCursor, readEventLog } from '../../forum/events/cursor.ts'
import { numberEvents } from '../../forum/events/numbering.ts'
import type { Endpoint } from '../../web/json/endpoint.ts'
import { openApi } from './openapi.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A program with a token, or without one: each of its answers is held against /api/v1/openapi.json. */
export interface Program {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>
  send(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>
}

/** @param token null: none is sent */
export function aProgram(app: FastifyInstance, token: string | null = null): Program {
  const send: Program['send'] = async (method, path, body, headers = {}) => {
    const request: InjectOptions = {
      method,
      url: `/api/v1${path}`,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    const answer = await app.inject(request)
    holdAgainstDocument(method, path, answer)
    return answer
  }
  return { send, get: (path, headers) => send('GET', path, undefined, headers) }
}

/** A cursor of what happened so far. */
export async function nowOf({ db }: { readonly db: Database }): Promise<string> {
  await numberEvents(db)
  const log = await readEventLog(db)
  return eventCursor(log, log.numberedTo)
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly content?: Content; readonly 'x-other-content'?: Content }
    >
  >
}
type Content = Readonly<Record<string, { readonly schema: object }>>

const document = openApi('http://localhost:3000') as unknown as Described & object
const ajv = new Ajv2020({ strict: false, allErrors: true })
for (const format of ['date-time', 'date', 'uri', 'uri-reference']) ajv.addFormat(format, formatOf(format))
ajv.addSchema({ $id: 'openapi', ...document })
const validators = new Map<string, ValidateFunction>()

/** Fails unless the document has the operation, its status and its media type, and the body fits the schema. */
export function holdAgainstDocument(method: string, path: string, answer: LightMyRequestResponse): void {
  const [template, operation] = operationOf(method, path)
  const where = `${method} ${path}: ${answer.statusCode}\n${answer.body.slice(0, 500)}`
  assert.ok(answer.statusCode < 500, where)
  if (operation === undefined || template === undefined) {
    assert.ok([404, 405, 400, 414, 415].includes(answer.statusCode), `not in the document: ${where}`)
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/, where)
    return
  }
  const told = operation.responses[answer.statusCode]
  assert.ok(told !== undefined, `status not in the document: ${where}`)
  const isProblem = told.$ref !== undefined
  const { content = {}, 'x-other-content': others = {} } = isProblem
    ? { content: { 'application/problem+json': {} } }
    : told
  if (answer.body === '') return
  const type = String(answer.headers['content-type']).split(';')[0] ?? ''
  assert.ok(type in content || type in others, `media type ${type} not in the document: ${where}`)
  const pointer = isProblem
    ? 'openapi#/components/schemas/Problem'
    : `openapi#/paths/${escaped(template)}/${method.toLowerCase()}/responses/${answer.statusCode}/${type in content ? '' : 'x-other-'}content/${escaped(type)}/schema`
  const lines = type === 'application/jsonl' ? answer.body.trimEnd().split('\n') : [answer.body]
  for (const line of lines.filter((text) => text !== '')) {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: pointer })
    validators.set(pointer, validate)
    assert.ok(validate(JSON.parse(line)), `${ajv.errorsText(validate.errors)}\n${where}`)
  }
}

/** Fails unless a body is what an endpoint answers. @param where for the message */
export function fitsSchema({ method, path }: Endpoint, body: unknown, where: string): void {
  const [template = '', operation] = operationOf(method, path.replace(/:\w+/g, '1'))
  const status =
    Object.keys(operation?.responses ?? {}).find((one) => one.startsWith('2')) ?? assert.fail(where)
  const pointer = `openapi#/paths/${escaped(template)}/${method.toLowerCase()}/responses/${status}/content/${escaped('application/json')}/schema`
  const validate = ajv.compile({ $ref: pointer })
  assert.ok(validate(body), `${where}: ${ajv.errorsText(validate.errors)}`)
}

function operationOf(method: string, path: string): readonly [string | undefined, Operation | undefined] {
  const [plain = ''] = path.split('?')
  const sought = plain === '' ? '/' : plain
  const found = Object.entries(document.paths)
    .filter(([template]) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(sought))
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
  const [template, operations] = found[0] ?? []
  return [template, operations?.[method.toLowerCase()]]
}

const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

function formatOf(name: string): RegExp | ((value: string) => boolean) {
  if (name === 'date-time') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  if (name === 'date') return /^\d{4}-\d\d-\d\d$/
  return (value: string) => URL.canParse(value)
}
