import createClient from 'openapi-fetch'
// Made by typed-client.test.ts of what /api/v1/openapi.json says.
import type { paths } from '#api'
import type { Seen, Setting } from './setting.ts'

/** Asks, edits, answers, votes, accepts and reads a list in pages, as a program of others would. */
export async function journey({ host, course, asker, helper }: Setting): Promise<Seen> {
  const client = (token: string) =>
    createClient<paths>({ baseUrl: `${host}/api/v1`, headers: { authorization: `Bearer ${token}` } })
  const [own, other] = [client(asker), client(helper)]
  const inCourse = { path: { course } }

  for (const title of ['What is HATEOAS?', 'What is a verb?'])
    await own.POST('/courses/{course}/questions', { params: inCourse, body: { title, body: 'Tell me.' } })
  const body = { title: 'May PATCH create?', body: 'I **wonder**.', tags: ['rest'] }
  const asked = await own.POST('/courses/{course}/questions', { params: inCourse, body })
  if (asked.data === undefined) throw new Error(asked.error.detail)
  const path = { id: asked.data.id }
  const etag = asked.response.headers.get('etag') ?? ''
  const change = { params: { path, header: { 'If-Match': etag } }, body: { title: 'May PUT create?' } }
  await own.PATCH('/questions/{id}', change)
  const stale = await own.PATCH('/questions/{id}', change)

  const answered = await other.POST('/questions/{id}/answers', {
    params: { path },
    body: { body: 'It may.' },
  })
  if (answered.data === undefined) throw new Error(answered.error.detail)
  const answer = { path: { id: answered.data.id } }
  await other.PUT('/questions/{id}/vote', { params: { path } })
  await own.PUT('/answers/{id}/acceptance', { params: answer })
  const refused = await own.POST('/questions/{id}/replies', { params: { path }, body: { body: '' } })

  const read = await own.GET('/questions/{id}', { params: { path } })
  if (read.data === undefined) throw new Error(read.error.detail)
  return {
    ...{ status: read.data.status, title: read.data.title, votes: read.data.votes_count },
    acceptedAnswer: read.data.accepted_answer,
    answer: answered.data.id,
    stale: stale.response.status,
    refused: refused.error?.errors?.flatMap(({ pointer = '' }) => pointer) ?? [],
    titles: await titlesOf(own, course),
  }
}

async function titlesOf(client: ReturnType<typeof createClient<paths>>, course: string): Promise<string[]> {
  const titles: string[] = []
  let cursor: string | undefined
  do {
    const query = { limit: 2, ...(cursor !== undefined && { cursor }) }
    const page = await client.GET('/courses/{course}/questions', { params: { path: { course }, query } })
    titles.push(...(page.data?.items.map(({ title }) => title) ?? []))
    const [, next] = /<([^>]+)>; rel="next"/.exec(page.response.headers.get('link') ?? '') ?? []
    cursor = next === undefined ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined)
  } while (cursor !== undefined)
  return titles
}
