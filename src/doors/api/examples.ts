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
