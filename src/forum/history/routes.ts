import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import type { PostAct } from '../../rights/rights.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findAnswer, findQuestion, findReply, type Post } from '../posts/find.ts'
import type { PostKey } from '../posts/kinds.ts'
import { HISTORIES } from './operations.ts'
import { type HistoryPage, historyPage } from './page.ts'
import { versionsOf } from './queries.ts'

type Table = PostKey['table']

/** A kind of post: how it is found, and where it stands on its question's page. */
const KINDS = {
  questions: { find: findQuestion, fragment: () => '' },
  answers: { find: findAnswer, fragment: (id: number) => `#answer-${id}` },
  replies: { find: findReply, fragment: (id: number) => `#reply-${id}` },
} as const

const RESTORED = {
  done: 'history.flash.restored',
  same: 'forms.unchanged',
  unknown: 'history.flash.unknown',
} as const

/** What a post said before it was edited: for its author and staff. Staff bring versions back, or remove their text. */
export function registerHistory(app: FastifyInstance): void {
  for (const table of ['questions', 'answers', 'replies'] as const) registerKind(app, table)
}

function registerKind(app: FastifyInstance, table: Table): void {
  const { fragment } = KINDS[table]
  const pathOf = ({ id }: { readonly id: number }) => `/${table}/${id}/history`

  app.get(`/${table}/:id/history`, async (request, reply) => {
    const post = await findPost(request, table, 'see-history')
    const [present, ...kept] = await versionsOf(app.db, post, versionIn(queryParam(request, 'version') ?? ''))
    if (present === undefined) throw notFound()
    const place = {
      path: pathOf(post),
      backPath: `${questionPath({ ...post, id: post.questionId })}${fragment(post.id)}`,
    }
    const page = await historyPage(request, post, [present, ...kept], place)
    const isNewest = page.versions[0]?.isShown === true
    const about = [post.title, isNewest ? null : page.shown.writtenAt.title].filter(Boolean).join(' · ')
    return reply.page<HistoryPage>('history/show', page, {
      about,
      robots: 'noindex',
      isForStaff: true,
      showsTexts: true,
    })
  })

  const { restoration, redaction } = HISTORIES[table]
  const key = (request: FastifyRequest) => ({ id: idParam(request, 'id'), version: versionParam(request) })
  const done = (_: unknown, request: FastifyRequest) => pathOf({ id: key(request).id })
  openForm(app, `/${table}/:id/history/:version/restoration`, restoration, {
    key,
    input: (request) => ({
      reason: translatorFor(request)('history.restoredReason', { version: versionParam(request) }),
    }),
    done,
    flash: (_, outcome) => RESTORED[outcome ?? 'unknown'],
  })
  openForm(app, `/${table}/:id/history/:version/redaction`, redaction, {
    key,
    done,
    flash: (_, outcome) => (outcome?.isDone === true ? 'history.flash.redacted' : 'history.flash.unknown'),
  })
}

async function findPost(
  request: FastifyRequest,
  table: Table,
  act: PostAct,
): Promise<Post & { table: Table }> {
  const post = await KINDS[table].find(
    request.server.db,
    request.requirePerson(),
    idParam(request, 'id'),
    act,
  )
  return { ...post, table }
}

function versionParam(request: FastifyRequest): number {
  return versionIn(textParam(request, 'version'))
}

/** 0, which no version has, for what is no number: it is answered as any other that is not there. */
function versionIn(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
}
