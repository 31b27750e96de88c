import { z } from 'zod'
import { seenAuthor } from '../../forum/authors/byline.ts'
import { type VersionRow, versionsOf } from '../../forum/history/queries.ts'
import { FIND } from '../../forum/posts/find.ts'
import { POST_TABLES } from '../../forum/posts/kinds.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { accessOf } from './access.ts'
import { API, list } from './answering.ts'
import { type Endpoint, listOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging } from './paging.ts'
import { versionSchema } from './schemas/posts.ts'

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
    async ({ request, query }) => {
      const { db } = request.server
      const { person } = accessOf(request)
      const post = await FIND[table](db, person, idParam(request, 'id'), 'see-history')
      const t = translatorFor(request)
      const after = cursorIn(query.cursor, 'count')
      const versions = await versionsOf(db, { ...post, table }, 'all')
      const rows = versions.filter(({ version }) => after === null || version < after.id)
      const cursorOf = ({ version }: VersionRow) => ({ value: 0, id: version })
      const page = cut(rows, rows.length, cursorOf, ({ body }) => [body ?? ''])
      return list(
        page.rows.map((row) => {
          const { id, name, role, standIn } = seenAuthor({ t, viewer: person }, row, post.courseId)
          return {
            body: {
              version: row.version,
              ...{ title: row.title, body: row.body, tags: row.tags, reason: row.reason },
              author: { id, name, role, stand_in: standIn },
              written_at: new Date(row.written_at).toISOString(),
              is_redacted: row.is_redacted,
            },
            links: { post: `${API}/${table}/${post.id}` },
          }
        }),
        page.next,
      )
    },
  ),
)
