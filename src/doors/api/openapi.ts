import { z } from 'zod'
import { hasMessage, type Translate, translatorOf } from '../../messages/catalogue.ts'
import { API, type Body, bodyTypes, type Endpoint, TAGS } from '../../web/json/endpoint.ts'
import { type Schema, type Schemas, schemaOfField } from '../../web/json/field-schema.ts'
import { schemas } from '../../web/json/resource.ts'
import { EVENT_STREAM, HAL_FORMS } from '../../web/transport/api-types.ts'
import { ENDPOINTS } from './endpoints.ts'
import { problemSchema } from './problem.ts'
import { hasTime, problemStatuses } from './statuses.ts'

/** By media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema }>>
/** By status. */
type Responses = Readonly<
  Record<
    number,
    {
      readonly description?: string
      readonly headers?: Schemas
      readonly content?: Content
      /** Beside the media types of `content`, whose union a client made of the document takes for its answer. */
      readonly 'x-other-content'?: Content
    }
  >
>

export type DocumentedOperation = ReturnType<typeof operationOf>

const t = translatorOf('en')
const PROBLEM = { $ref: '#/components/responses/Problem' }

/** The description of all endpoints: OpenAPI 3.1, as 3.2 is not read by clients yet. @param baseUrl of the forum */
export function openApi(baseUrl: string) {
  const paths = Map.groupBy(ENDPOINTS, ({ path }) => path.replace(/:(\w+)/g, '{$1}'))
  const operationsAt = (endpoints: readonly Endpoint[]) =>
    Object.fromEntries(endpoints.map((one) => [one.method.toLowerCase(), operationOf(one)]))
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Handup',
      version: '1',
      summary: t('api.lead'),
      description: t('api.description'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${baseUrl}${API}` }],
    tags: TAGS.map((name) => ({ name, description: t(`api.tag.${name}`) })),
    paths: Object.fromEntries([...paths].map(([path, endpoints]) => [path, operationsAt(endpoints)])),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: t('api.token.description') } },
      schemas: componentSchemas(),
      responses: {
        Problem: {
          description: t('api.problem.description'),
          content: { 'application/problem+json': { schema: reference(problemSchema) } },
        },
      },
      headers: Object.fromEntries(
        TOLD.map((name) => [name, { description: t(`api.header.${name}`), schema: { type: 'string' } }]),
      ),
    },
  }
}

/** A reply may have become an answer, or the reverse. */
const CONVERTIBLE = /^\/(?:answers|replies)\/:id/

function operationOf(endpoint: Endpoint) {
  const { name, tag, isPublic, scopes, method, path, body, answer } = endpoint
  const describedBy = `api.operation.${name}.text`
  const isCached = method === 'GET' && answer.kind !== 'lines'
  const responses: Responses = {
    ...goodAnswer(endpoint),
    ...(CONVERTIBLE.test(path) && { [method === 'GET' ? 301 : 308]: { description: t('api.converted') } }),
    ...(isCached && { 304: { description: t('api.notModified') } }),
    ...Object.fromEntries(problemStatuses(endpoint).map((status) => [status, PROBLEM])),
  }
  return {
    operationId: name,
    tags: [tag],
    summary: t(`api.operation.${name}`),
    ...(hasMessage(describedBy) && { description: t(describedBy) }),
    security: isPublic ? [{}, { token: [] }] : [{ token: [] }],
    'x-scopes': scopes,
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(body !== null && { requestBody: requestBodyOf(endpoint, body) }),
    responses,
  }
}

function requestBodyOf(
  { name, method }: Endpoint,
  body: Body,
): { readonly required: boolean; readonly content: Content } {
  const schema = schemaOf(name, body)
  const required = body.required.length > 0
  if (body.hasFile !== true)
    return { required, content: Object.fromEntries(bodyTypes(method).map((type) => [type, { schema }])) }
  const { file = {} } = described({ file: { type: 'string', format: 'binary' } }, name)
  const form = { ...schema, properties: { file, ...schema.properties }, required: ['file'] }
  return { required: true, content: { 'multipart/form-data': { schema: form }, 'image/*': { schema: file } } }
}

function goodAnswer({ answer, method, stream }: Endpoint): Responses {
  if (answer.kind === 'none') return { 204: { description: t('api.done') } }
  const one = reference(answer.schema)
  if (answer.kind === 'lines')
    return { 200: { description: t('api.lines'), content: { 'application/jsonl': { schema: one } } } }
  const isList = answer.kind === 'list'
  const { properties = {}, required = [] } = answer.beside === undefined ? {} : z.toJSONSchema(answer.beside)
  const beside = described(properties as Schemas, 'List')
  const schema: Schema = isList
    ? {
        type: 'object',
        properties: { items: { type: 'array', items: one }, ...beside },
        required: ['items', ...required],
      }
    : one
  const also = (name: string, whole: Schema) => ({
    schema: { allOf: [whole, { $ref: `#/components/schemas/${name}` }] },
  })
  const content = {
    'application/json': { schema },
    'application/hal+json': also('Links', schema),
  }
  const embedded = { type: 'object', properties: { item: { type: 'array', items: one } }, required: ['item'] }
  const list: Schema = {
    type: 'object',
    properties: { _embedded: embedded, ...beside },
    required: ['_embedded', ...required],
  }
  const forms = {
    [HAL_FORMS]: also('Forms', isList ? list : schema),
    ...(stream !== undefined && { [EVENT_STREAM]: { schema: { type: 'string' } } }),
  }
  if (answer.kind === 'created')
    return {
      201: {
        description: t('api.created'),
        headers: headers('ETag', 'Location'),
        content,
        'x-other-content': forms,
      },
    }
  const given = headers('ETag', isList ? 'Link' : 'Last-Modified')
  const description = t(method === 'GET' ? 'api.found' : 'api.changed')
  return { 200: { description, headers: given, content, 'x-other-content': forms } }
}

const LOCAL_IDS: readonly string[] = ['id', 'version']

function pathParameters({ path }: Endpoint) {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema: Schema = LOCAL_IDS.includes(name) ? { type: 'integer', minimum: 1 } : { type: 'string' }
    return parameter('path', name, true, schema)
  })
}

function queryParameters({ query }: Endpoint) {
  if (query === null) return []
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' })
  return Object.entries(properties as Schemas).map(([name, schema]) =>
    parameter('query', name, required.includes(name), schema),
  )
}

function headerParameters(endpoint: Endpoint) {
  const { method, answer, problems, takesKey, stream } = endpoint
  const isRead = method === 'GET'
  const names = [
    ...(isRead ? [] : ['If-Match']),
    ...(answer.kind === 'lines' ? [] : ['If-None-Match']),
    ...(isRead && hasTime(endpoint) ? ['If-Modified-Since'] : []),
    ...(!isRead || hasTime(endpoint) ? ['If-Unmodified-Since'] : []),
    ...(takesKey ? ['Idempotency-Key'] : []),
    ...(stream === undefined ? [] : ['Last-Event-ID']),
  ]
  return names.map((name) => {
    const isRequired = name === 'If-Match' && problems.includes(428)
    return parameter('header', name, isRequired, { type: 'string' })
  })
}

function parameter(place: 'path' | 'query' | 'header', name: string, required: boolean, schema: Schema) {
  const description = t(`api.${place === 'header' ? 'header' : 'parameter'}.${name}`)
  return { name, in: place, required, description, schema }
}

const TOLD = ['ETag', 'Last-Modified', 'Link', 'Location'] as const

function headers(...names: (typeof TOLD)[number][]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function componentSchemas(): Schemas {
  const written = z.toJSONSchema(schemas, {
    ...{ io: 'input', unrepresentable: 'any' },
    uri: (id) => `#/components/schemas/${id}`,
  })
  const own = Object.entries(written.schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [
    id,
    { ...schema, properties: described(schema.properties as Schemas, id) },
  ])
  const link: Schema = { type: 'object', properties: { href: { type: 'string' } }, required: ['href'] }
  const links = { type: 'object', additionalProperties: link }
  return {
    ...Object.fromEntries(own),
    Forms: {
      ...{ type: 'object', required: ['_links', '_templates'] },
      properties: described({ _links: { type: 'object' }, _templates: { type: 'object' } }, 'Forms'),
    },
    Links: { type: 'object', properties: described({ _links: links }, 'Links'), required: ['_links'] },
  }
}

/**
 * Fields with what they are: what is said of them in `owner`, or wherever a field has that name.
 * @param owner a schema, an operation, or the field that they are in
 */
function described(fields: Schemas, owner: string): Schemas {
  const told = Object.entries(fields).map(([name, field]) => {
    const description = fieldText(t, owner, name)
    return [name, { ...within(field, name), ...(description !== null && { description }) }]
  })
  return Object.fromEntries(told)
}

export function fieldText(t: Translate, owner: string, name: string): string | null {
  const key = [`${owner}_${name}`, name].map((own) => `api.field.${own}`).find(hasMessage)
  return key === undefined ? null : t(key)
}

function within(field: Schema, name: string): Schema {
  const { properties, items, anyOf } = field
  return {
    ...field,
    ...(properties !== undefined && { properties: described(properties, name) }),
    ...(items !== undefined && { items: within(items, name) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map((one) => within(one, name)) }),
  }
}

function schemaOf(name: string, { fields, required, hasFile }: Body) {
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    schemaOfField(field, hasFile === true || required.includes(name)),
  ])
  return {
    type: 'object' as const,
    properties: described(Object.fromEntries(properties), name),
    additionalProperties: false,
    ...(required.length > 0 && { required: [...required] }),
  }
}

function reference(schema: z.ZodType): Schema {
  const id = schemas.get(schema)?.id
  if (id === undefined) throw new Error('a schema of an answer has no name')
  return { $ref: `#/components/schemas/${id}` }
}
