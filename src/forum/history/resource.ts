import { z } from 'zod'
import { translatorFor } from '../../web/appearance.ts'
import { API, type Endpoint, idOf, listOf, reading } from '../../web/json/endpoint.ts'
import { cursorIn, cut, paging } from '../../web/json/paging.ts'
import { resource, snaked, time } from '../../web/json/resource.ts'
import { seenAuthor } from '../authors/byline.ts'
import { FIND } from '../posts/find.ts'
import { POST_TABLES } from '../posts/kinds.ts'
import { authorSchema } from '../reading/post-resource.ts'
import { type VersionRow, versionsOf } from './versions.ts'

const versionSchema = resource('Version', {
  version: z.int(),
  title: z.string().nullable(),
  body: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
  reason: z.string().nullable(),
  author: authorSchema.omit({ questions_count: true }),
  written_at: time,
  is_redacted: z.boolean(),
})

const NAMES = {
  questions: 'listQuestionVersions',
  answers: 'listAnswerVersions',
  replies: 'listReplyVersions',
} as const

export const historyEndpoints: readonly Endpoint[] = POST_TABLES.map((table) =>
  reading(
    `/${table}/:id/history`,
    listOf(versionSchema),
    { name: NAMES[table], tag: 'history', isPublic: false, query: z.object({ cursor: paging.cursor }) },
    async (call) => {
      const { request, query } = call
      const { db } = request.server
      const person = request.requirePerson()
      const post = await FIND[table](db, person, idOf(call), 'see-history')
      const t = translatorFor(request)
      const after = cursorIn(query.cursor, 'count')
      const versions = await versionsOf(db, { ...post, table }, 'all')
      const rows = versions.filter(({ version }) => after === null || version < after.id)
      const cursorOf = ({ version }: VersionRow) => ({ value: 0, id: version })
      const page = cut(rows, rows.length, cursorOf, ({ body }) => [body ?? ''])
      const items = page.rows.map((row) => ({
        ...{ ...row, author: snaked(seenAuthor({ t, viewer: person }, row, post.courseId)) },
        links: { post: `${API}/${table}/${post.id}` },
      }))
      return { items, next: page.next }
    },
  ),
)
