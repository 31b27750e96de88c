import { z } from 'zod'
import type { Database } from '../../database/schema.ts'
import { seenAuthor } from '../../forum/authors/byline.ts'
import { type VersionRow, versionsOf } from '../../forum/history/queries.ts'
import { findAnswer, findQuestion, findReply, type Post } from '../../forum/posts/find.ts'
import type { Person } from '../../rights/person.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { accessOf } from './access.ts'
import { API, list } from './answering.ts'
import { type Endpoint, listOf, reading } from './endpoint.ts'
import { cursorIn, cut, paging } from './paging.ts'
import { versionSchema } from './schemas/posts.ts'

type Find = (db: Database, viewer: Person, id: number, act: 'see-history') => Promise<Post>

const KINDS = [
  ['questions', 'listQuestionVersions', findQuestion],
  ['answers', 'listAnswerVersions', findAnswer],
  ['replies', 'listReplyVersions', findReply],
] as const satisfies readonly (readonly ['questions' | 'answers' | 'replies', string, Find])[]

/** Earlier versions of posts, for their authors and staff. */
export const historyEndpoints: readonly Endpoint[] = KINDS.map(([table, name, find]) =>
  reading(
    `/${table}/:id/history`,
    listOf(versionSchema),
    { name, tag: 'history', isPublic: false, query: z.object({ cursor: paging.cursor }) },
    async ({ request, query }) => {
      const { db } = request.server
      const { person } = accessOf(request)
      const post = await find(db, person, idParam(request, 'id'), 'see-history')
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
