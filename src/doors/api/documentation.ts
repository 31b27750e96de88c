import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { API, SCOPES } from '../../web/json/endpoint.ts'
import type { Schema, Schemas } from '../../web/json/field-schema.ts'
import { page } from '../../web/page.ts'
import { STATUS_CODES } from '../../web/transport/node-http.ts'
import { RELATIONS } from './hal.ts'
import { type Content, type DocumentedOperation, fieldText, openApi } from './openapi.ts'
import { FIELD_CODES, PROBLEMS } from './problem.ts'

const HEAD = { canonical: '/api', showsTexts: true, isForStaff: true }

/** What programs can do, as /api/v1/openapi.json says it, in the reader's language. */
export const showDocumentation = page('api/index', HEAD, ({ t, config: { baseUrl } }) => {
  const { paths, tags, components } = openApi(baseUrl)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => shown(t, path, method, one, components.schemas)),
  )
  const groups = tags.map(({ name: id }) => ({
    id,
    title: t(`api.tag.${id}`),
    operations: operations.filter(({ tag }) => tag === id),
  }))
  const nav = [
    { path: '#start', text: t('api.docs.overview') },
    ...(['auth', 'lists', 'conditions', 'links', 'deprecated', 'examples'] as const).map((id) => ({
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
    problems: PROBLEMS.map(({ key, code, status }) => ({
      ...{ code, status, title: STATUS_CODES[status] ?? '' },
      text: t(`api.problem.${key}`),
    })),
    relations: RELATIONS.map((name) => ({ name, text: t(`api.relation.${name}`) })),
    fieldCodes: FIELD_CODES.map((code) => ({ code, text: t(`api.code.${code}`) })),
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
})

/** @param schemas by name */
function shown(t: Translate, path: string, method: string, one: DocumentedOperation, schemas: Schemas) {
  const { operationId: name, parameters, requestBody, security, 'x-scopes': scopes } = one
  const more = `api.operation.${name}.text`
  const [{ content: answered = {} } = {}] = Object.values(one.responses)
  const isLines = 'application/jsonl' in answered
  const whole = schemaIn(answered)
  const items = whole.properties?.items
  const answer = idOf(items?.items ?? whole)
  return {
    tag: one.tags[0],
    method: method.toUpperCase(),
    path: `${API}${path === '/' ? '' : path.replace(/\{(\w+)\}/g, ':$1')}`,
    summary: t(`api.operation.${name}`),
    text: hasMessage(more) ? t(more) : null,
    needs: t(security.length > 1 ? 'api.docs.public' : 'api.docs.needs', { scope: scopes.join(', ') }),
    parameters: parameters
      .filter((one) => one.in !== 'header')
      .map(({ name, schema }) => ({ name, type: typeName(schema), text: t(`api.parameter.${name}`) })),
    body: fieldsOf(t, name, schemaIn(requestBody?.content)),
    answer: fieldsOf(t, answer, schemas[answer] ?? {}),
    // Says that the answer has many of them.
    answerIs: isLines || items !== undefined ? t(`api.docs.${isLines ? 'lines' : 'list'}`) : null,
    changes: method !== 'get',
  }
}

const idOf = ({ $ref = '' }: Schema) => $ref.slice($ref.lastIndexOf('/') + 1)

const schemaIn = (content: Content = {}): Schema => Object.values(content)[0]?.schema ?? {}

/** Of a body or an answer. The file of a form is told in the text of its operation. @param owner an operation or a schema */
function fieldsOf(t: Translate, owner: string, { properties = {}, required = [] }: Schema) {
  return Object.entries(properties)
    .filter(([, { format }]) => format !== 'binary')
    .map(([name, schema]) => {
      const type = typeName(schema)
      const isOptional = !required.includes(name)
      return {
        name,
        type: isOptional ? `${type}, ${t('api.docs.optional')}` : type,
        text: fieldText(t, owner, name) ?? '',
      }
    })
}

/** `string`, `integer or null`, `newest | active`: as short as can be. */
function typeName({ type, enum: values, const: value, anyOf }: Schema): string {
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
  {
    name: 'forms',
    operation: 'readCourse',
    curl: `curl -H 'Accept: application/prs.hal-forms+json' ${HOST}/api/v1/courses/${COURSE}`,
    javascript: `const headers = {
  Accept: 'application/prs.hal-forms+json',
  Authorization: \`Bearer \${process.env.HANDUP_TOKEN}\`,
}
const read = async (link) => (await fetch(link.href, { headers })).json()

// The first address is all that is known: the rest is followed.
const start = await read({ href: '${HOST}/api/v1' })
const courses = await read(start._links['handup:courses'])
const listed = courses._embedded.item.find(({ slug }) => slug === '${COURSE}')
const course = await read(listed._links.self)

// What you can do here now, with the fields that it needs.
const { createQuestion } = course._templates
console.error(createQuestion?.method, createQuestion?.target)
for (const { name, prompt, required } of createQuestion?.properties ?? [])
  console.error(name, required ? 'required' : '', prompt)
console.log(JSON.stringify(course))`,
    python: `import os, requests

session = requests.Session()
session.headers["Accept"] = "application/prs.hal-forms+json"
session.headers["Authorization"] = f"Bearer {os.environ['HANDUP_TOKEN']}"

def read(link):
    response = session.get(link["href"], timeout=10)
    response.raise_for_status()
    return response.json()

# The first address is all that is known: the rest is followed.
start = read({"href": "${HOST}/api/v1"})
courses = read(start["_links"]["handup:courses"])
listed = next(c for c in courses["_embedded"]["item"] if c["slug"] == "${COURSE}")
course = read(listed["_links"]["self"])

# What you can do here now, with the fields that it needs.
form = course["_templates"]["createQuestion"]
for field in form["properties"]:
    print(field["name"], field["required"], field["prompt"])
# session.request(form["method"], form["target"], json={"title": "…", "body": "…"})`,
  },
]
