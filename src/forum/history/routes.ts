import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import type { PostAct } from '../../rights/rights.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { FIND, type Post, questionOf } from '../posts/find.ts'
import { KINDS, POST_TABLES, type PostTable } from '../posts/kinds.ts'
import { HISTORIES } from './operations.ts'
import { type HistoryPage, historyPage } from './page.ts'
import { versionsOf } from './queries.ts'

const RESTORED = {
  done: 'history.flash.restored',
  same: 'forms.unchanged',
  unknown: 'history.flash.unknown',
} as const

export function registerHistory(app: FastifyInstance): void {
  for (const table of POST_TABLES) registerKind(app, table)
}

function registerKind(app: FastifyInstance, table: PostTable): void {
  const pathOf = ({ id }: { readonly id: number }) => `/${table}/${id}/history`

  app.get(`/${table}/:id/history`, async (request, reply) => {
    const post = await findPost(request, table, 'see-history')
    const [present, ...kept] = await versionsOf(app.db, post, versionIn(queryParam(request, 'version') ?? ''))
    if (present === undefined) throw notFound()
    const place = {
      path: pathOf(post),
      backPath: KINDS[table].path(questionOf(post), post.id),
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
  table: PostTable,
  act: PostAct,
): Promise<Post & { table: PostTable }> {
  const post = await FIND[table](request.server.db, request.requirePerson(), idParam(request, 'id'), act)
  return { ...post, table }
}

function versionParam(request: FastifyRequest): number {
  return versionIn(textParam(request, 'version'))
}

/** 0, which no version has, for what is no number: it is answered as any other that is not there. */
function versionIn(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
}
