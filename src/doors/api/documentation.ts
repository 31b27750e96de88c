import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { translatorFor } from '../../web/language.ts'
import { STATUS_CODES } from '../../web/transport/node-http.ts'
import { API, type Body, type Endpoint, SCOPES, TAGS } from './endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'

const PROBLEMS = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  405: 'methodNotAllowed',
  406: 'notAcceptable',
  410: 'gone',
  413: 'tooLarge',
  415: 'unsupportedType',
  429: 'tooOften',
  503: 'unavailable',
} as const

/** `/api`: what programs can do, made of the same list as the routes and /api/v1/openapi.json. */
export function registerDocumentation(app: FastifyInstance): void {
  app.get('/api', async (request, reply) =>
    reply.page('api/index', documentation(translatorFor(request), app.config.baseUrl), {
      canonical: '/api',
      showsTexts: true,
      isForStaff: true,
    }),
  )
}

export function documentation(t: Translate, baseUrl: string) {
  const groups = TAGS.map((tag) => ({
    id: tag,
    title: t(`api.tag.${tag}`),
    operations: ENDPOINTS.filter((endpoint) => endpoint.tag === tag).map((one) => operationOf(t, one)),
  })).filter(({ operations }) => operations.length > 0)
  const nav = [
    { path: '#start', text: t('api.docs.overview') },
    ...(['auth', 'lists', 'conditions', 'examples'] as const).map((id) => ({
      path: `#${id}`,
      text: t(`api.docs.${id}`),
    })),
    ...groups.map(({ id, title }) => ({ path: `#${id}-group`, text: title })),
    { path: '#errors', text: t('api.docs.errors') },
  ]
  return {
    title: t('api.title'),
    nav,
    start: `${baseUrl}${API}`,
    openapi: `${API}/openapi.json`,
    scopes: SCOPES.map((name) => ({ name, text: t(`tokens.scope.${name}.text`) })),
    problems: Object.entries(PROBLEMS).map(([status, key]) => ({
      status: Number(status),
      title: STATUS_CODES[status] ?? '',
      text: t(`api.problem.${key}`),
    })),
    groups,
    examples: EXAMPLES.map(({ name, ...codes }) => ({
      title: t(`api.example.${name}`),
      codes: [
        { language: 'curl', text: codes.curl },
        { language: 'JavaScript', text: codes.javascript },
        { language: 'Python', text: codes.python },
      ].map(({ language, text }) => ({ language, text: text.replaceAll(HOST, baseUrl) })),
    })),
  }
}

function operationOf(t: Translate, endpoint: Endpoint) {
  const { method, path, name, scopes, isPublic, query, body, answer } = endpoint
  const more = `api.operation.${name}.text`
  return {
    method,
    path: `${API}${path === '/' ? '' : path}`,
    summary: t(`api.operation.${name}`),
    text: hasMessage(more) ? t(more) : null,
    needs: t(isPublic ? 'api.docs.public' : 'api.docs.needs', { scope: scopes.join(', ') }),
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, part = '']) => ({
        name: part,
        type: part === 'course' ? 'string' : 'integer',
        text: t(`api.parameter.${part}`),
      })),
      ...(query === null ? [] : fieldsOf(t, query, 'parameter')),
    ],
    body: body === null ? [] : bodyOf(t, body),
    answer: answer.kind === 'none' ? [] : fieldsOf(t, answer.schema, 'field'),
    // Says that the answer has many of them.
    answerIs: answer.kind === 'list' || answer.kind === 'lines' ? t(`api.docs.${answer.kind}`) : null,
    changes: method !== 'GET',
  }
}

function bodyOf(t: Translate, { fields, required }: Body) {
  return Object.entries(fields).map(([name, field]) => {
    const type = typeName((field.meta() ?? {}) as Type)
    const key = `api.field.${name}`
    return {
      name,
      type: required.includes(name) ? type : `${type}, ${t('api.docs.optional')}`,
      text: hasMessage(key) ? t(key) : '',
    }
  })
}

interface Written {
  readonly properties?: Readonly<Record<string, Type>>
  readonly required?: readonly string[]
}
interface Type {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly const?: string
  readonly anyOf?: readonly Type[]
}

function fieldsOf(t: Translate, schema: z.ZodType, kind: 'field' | 'parameter') {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Written
  return Object.entries(properties).map(([name, type]) => {
    const key = `api.${kind}.${name}`
    return { name, type: typeName(type), text: hasMessage(key) ? t(key) : '' }
  })
}

/** `string`, `integer or null`, `newest | active`: as short as can be. */
function typeName({ type, enum: values, const: value, anyOf }: Type): string {
  if (anyOf !== undefined) return anyOf.map(typeName).join(' or ')
  if (value !== undefined) return value
  return values === undefined ? [type ?? 'object'].flat().join(' or ') : values.join(' | ')
}

/** An example of the documentation, in three languages. Those of curl and JavaScript are run by examples.test.ts. */
export interface Example {
  /** The name in its title's key: api.example.<name>. */
  readonly name: string
  /** The operation whose good answer it shows. */
  readonly operation: string
  readonly curl: string
  readonly javascript: string
  readonly python: string
}

/** Placeholders of the examples for the forum's address and a course. */
export const HOST = 'https://forum.example'
export const COURSE = 'restful-web-services-with-java'

const questions = `${HOST}/api/v1/courses/${COURSE}/questions`

export const EXAMPLES: readonly Example[] = [
  {
    name: 'list',
    operation: 'listQuestions',
    curl: `curl '${questions}?status=unresolved&limit=5'`,
    javascript: `const response = await fetch('${questions}?status=unresolved&limit=5')
const { items } = await response.json()
console.log(JSON.stringify({ items }))`,
    python: `import requests

response = requests.get(
    "${questions}",
    params={"status": "unresolved", "limit": 5},
    timeout=10,
)
response.raise_for_status()
questions = response.json()["items"]`,
  },
  {
    name: 'me',
    operation: 'readMe',
    curl: `curl -H "Authorization: Bearer $HANDUP_TOKEN" ${HOST}/api/v1/me`,
    javascript: `const response = await fetch('${HOST}/api/v1/me', {
  headers: { Authorization: \`Bearer \${process.env.HANDUP_TOKEN}\` },
})
console.log(JSON.stringify(await response.json()))`,
    python: `import os, requests

response = requests.get(
    "${HOST}/api/v1/me",
    headers={"Authorization": f"Bearer {os.environ['HANDUP_TOKEN']}"},
    timeout=10,
)
response.raise_for_status()
me = response.json()`,
  },
  {
    name: 'ask',
    operation: 'createQuestion',
    curl: `curl ${questions} \\
  -H "Authorization: Bearer $HANDUP_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{
    "title": "May PATCH create a resource?",
    "body": "RFC 5789 says the server **may**. When is that a good idea?",
    "tags": ["rest", "patch"]
  }'`,
    javascript: `const response = await fetch('${questions}', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.HANDUP_TOKEN}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify({
    title: 'May PUT create a resource?',
    body: 'RFC 9110 says it **may**. When is that a good idea?',
    tags: ['rest', 'put'],
  }),
})
console.log(JSON.stringify(await response.json()))`,
    python: `import os, requests

response = requests.post(
    "${questions}",
    headers={"Authorization": f"Bearer {os.environ['HANDUP_TOKEN']}"},
    json={
        "title": "May POST be idempotent?",
        "body": "Which header makes a retry safe?",
        "tags": ["rest", "post"],
    },
    timeout=10,
)
response.raise_for_status()
question = response.json()`,
  },
]
