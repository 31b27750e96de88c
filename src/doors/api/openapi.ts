import { z } from 'zod'
import { hasMessage, translatorOf } from '../../messages/catalogue.ts'
import { type Answer, API, type Body, type Endpoint, TAGS } from './endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'
import { problemSchema, schemas } from './schemas/registry.ts'

/** JSON that is written down here: a document, not something to compute with. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }
type Dictionary = { readonly [name: string]: Json | undefined }

const t = translatorOf('en')
/** Statuses that every endpoint may answer. */
const ALWAYS = [400, 401, 403, 404, 405, 406, 410, 413, 415, 429, 500, 503]

/** The description of all endpoints: OpenAPI 3.1, as 3.2 is not read by clients yet. @param baseUrl of the forum */
export function openApi(baseUrl: string): Dictionary {
  const paths = Map.groupBy(ENDPOINTS, ({ path }) => templateOf(path))
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
    tags: TAGS.filter((tag) => ENDPOINTS.some((endpoint) => endpoint.tag === tag)).map((tag) => ({
      name: tag,
      description: t(`api.tag.${tag}`),
    })),
    paths: Object.fromEntries(
      [...paths].map(([path, endpoints]) => [
        path,
        Object.fromEntries(
          endpoints.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint)]),
        ),
      ]),
    ),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: t('api.token.description') } },
      schemas: componentSchemas(),
      responses: {
        Problem: {
          description: t('api.problem.description'),
          content: { 'application/problem+json': { schema: reference(problemSchema) } },
        },
      },
      headers: headersOfAll(),
    },
  }
}

/** `/questions/:id` as OpenAPI writes it. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function operationOf(endpoint: Endpoint): Dictionary {
  const { name, tag, isPublic, scopes, problems, method, body } = endpoint
  const describedBy = `api.operation.${name}.text`
  return {
    operationId: name,
    tags: [tag],
    summary: t(`api.operation.${name}`),
    ...(hasMessage(describedBy) && { description: t(describedBy) }),
    security: isPublic ? [{}, { token: [] }] : [{ token: [] }],
    'x-scopes': scopes,
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(body !== null && { requestBody: requestBodyOf(body) }),
    responses: {
      ...goodAnswer(endpoint),
      ...(method === 'GET' &&
        endpoint.answer.kind !== 'lines' && { 304: { description: t('api.notModified') } }),
      ...Object.fromEntries(
        [...ALWAYS, ...problems].map((status) => [status, { $ref: '#/components/responses/Problem' }]),
      ),
    },
  }
}

function requestBodyOf(body: Body): Dictionary {
  if (body.hasFile !== true)
    return { required: body.required.length > 0, content: { 'application/json': { schema: schemaOf(body) } } }
  const file = { type: 'string', format: 'binary' }
  const schema = schemaOf(body)
  const { properties } = schema
  const form = { ...schema, properties: { file, ...(properties as Dictionary) }, required: ['file'] }
  return { required: true, content: { 'multipart/form-data': { schema: form }, 'image/*': { schema: file } } }
}

function goodAnswer({ answer, method }: Endpoint): Dictionary {
  if (answer.kind === 'none') return { 204: { description: t('api.done') } }
  if (answer.kind === 'lines')
    return {
      200: {
        description: t('api.lines'),
        content: { 'application/jsonl': { schema: reference(answer.schema) } },
      },
    }
  const schema = bodyOf(answer)
  const hal = { allOf: [schema, { $ref: '#/components/schemas/Links' }] }
  const content = { 'application/json': { schema }, 'application/hal+json': { schema: hal } }
  if (answer.kind === 'created')
    return { 201: { description: t('api.created'), headers: headers('ETag', 'Location'), content } }
  const isList = answer.kind === 'list'
  const given = isList ? headers('ETag', 'Link') : headers('ETag', 'Last-Modified')
  return { 200: { description: t(method === 'GET' ? 'api.found' : 'api.changed'), headers: given, content } }
}

function bodyOf(answer: Exclude<Answer, { readonly kind: 'none' }>): Dictionary {
  const one = reference(answer.schema)
  if (answer.kind !== 'list') return one
  return {
    type: 'object',
    properties: { items: { type: 'array', items: one } },
    required: ['items'],
  }
}

const LOCAL_IDS = ['id', 'version'] as const

function pathParameters({ path }: Endpoint): Dictionary[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: t(`api.parameter.${name}`),
    schema: LOCAL_IDS.some((one) => one === name) ? { type: 'integer', minimum: 1 } : { type: 'string' },
  }))
}

function queryParameters({ query }: Endpoint): Dictionary[] {
  if (query === null) return []
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' })
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: t(`api.parameter.${name}`),
    schema: schema as Json,
  }))
}

function headerParameters({ problems, takesKey }: Endpoint): Dictionary[] {
  const header = (name: string, required: boolean) => ({
    ...{ name, in: 'header', required },
    description: t(`api.header.${name}`),
    schema: { type: 'string' },
  })
  return [
    ...(problems.includes(412) ? [header('If-Match', problems.includes(428))] : []),
    ...(takesKey ? [header('Idempotency-Key', false)] : []),
  ]
}

const TOLD = ['ETag', 'Last-Modified', 'Link', 'Location'] as const

function headers(...names: (typeof TOLD)[number][]): Dictionary {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function headersOfAll(): Dictionary {
  return Object.fromEntries(
    TOLD.map((name) => [name, { description: t(`api.header.${name}`), schema: { type: 'string' } }]),
  )
}

function componentSchemas(): Dictionary {
  const written = z.toJSONSchema(schemas, {
    ...{ io: 'input', unrepresentable: 'any' },
    uri: (id) => `#/components/schemas/${id}`,
  })
  const links = {
    type: 'object',
    properties: {
      _links: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { href: { type: 'string' } },
          required: ['href'],
        },
      },
    },
    required: ['_links'],
  }
  const own = Object.entries(written.schemas).map(([id, schema]) => [
    id,
    described(without(schema as Dictionary)),
  ])
  return { ...Object.fromEntries(own), Links: links }
}

/** Names that a schema has for itself alone. */
function without({ $schema: _schema, $id: _id, ...rest }: Dictionary): Dictionary {
  return rest
}

function described(schema: Dictionary): Dictionary {
  const { properties } = schema
  if (typeof properties !== 'object' || properties === null) return schema
  const told = Object.entries(properties as Record<string, Dictionary>).map(([name, field]) => {
    const key = `api.field.${name}`
    return [name, hasMessage(key) && !('$ref' in field) ? { ...field, description: t(key) } : field]
  })
  return { ...schema, properties: Object.fromEntries(told) }
}

function schemaOf({ fields, required }: Body): Dictionary {
  const properties = Object.entries(fields).map(([name, field]) => {
    const { isOptional: _, isLong: __, ...meta } = (field.meta() ?? {}) as Dictionary
    return [name, meta]
  })
  return described({
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  })
}

function reference(schema: z.ZodType): Dictionary {
  const id = schemas.get(schema)?.id
  if (id === undefined) throw new Error('a schema of an answer has no name')
  return { $ref: `#/components/schemas/${id}` }
}
