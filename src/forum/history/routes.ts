import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { may, type PostAct } from '../../kernel/rights/rights.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { changedWords, countWords, type Piece } from '../../text/changed-words.ts'
import { languageOfPost } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { bylineOf } from '../authors/byline.ts'
import { FIND, type Post, questionOf } from '../posts/find.ts'
import { KINDS, POST_TABLES, type PostTable } from '../posts/kinds.ts'
import { HISTORIES, type VersionRow, versionsOf } from './versions.ts'

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
    const place = { path: pathOf(post), backPath: KINDS[table].path(questionOf(post), post.id) }
    const page = await historyPage(request, post, [present, ...kept], place)
    const isNewest = page.versions[0]?.isShown === true
    const about = [post.title, isNewest ? null : page.shown.writtenAt.title].filter(Boolean).join(' · ')
    return reply.page('history/show', page, {
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

async function findPost(request: FastifyRequest, table: PostTable, act: PostAct) {
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

/** @param path of the history @param rows the present version first */
export async function historyPage(
  request: FastifyRequest,
  post: Post,
  rows: readonly [VersionRow, ...VersionRow[]],
  { path, backPath }: { readonly path: string; readonly backPath: string },
) {
  const t = translatorFor(request)
  const at = Math.max(
    0,
    rows.findIndex((row) => row.is_shown),
  )
  const [row, earlier] = [rows[at] ?? rows[0], rows[at + 1] ?? null]
  const addressOf = ({ version }: VersionRow, view: string | null = null) => pathWith(path, { version, view })
  const entries = rows.map((one, index) => ({
    path: addressOf(one),
    author: bylineOf({ t, viewer: request.person }, one, post.courseId),
    writtenAt: writtenMoment(new Date(one.written_at), request.requirePerson().timeZone ?? one.time_zone, t),
    reason: one.reason,
    isShown: one === row,
    isFirst: index === rows.length - 1,
    isRedacted: one.is_redacted,
  }))
  const changes = earlier === null ? null : changesBetween(earlier, row)
  const wantsWhole = changes === null || queryParam(request, 'view') === 'text'
  const isPast = at > 0 && row.body !== null
  const decides = isPast && may(request.person, 'decide-history', post)
  return {
    title: t('history.title'),
    backPath,
    backText: post.title === '' ? t('posts.back') : post.title,
    versions: entries,
    shown: entries[at] ?? entries[0] ?? unreachable(),
    changes: wantsWhole ? null : changes,
    whole: wantsWhole ? await wholeOf(row) : null,
    wordsPath: addressOf(row),
    wholePath: addressOf(row, 'text'),
    earlierPath: earlier === null ? null : addressOf(earlier),
    restorePath: decides ? `${path}/${row.version}/restoration` : null,
    redactPath: decides ? `${path}/${row.version}/redaction` : null,
  }
}

function unreachable(): never {
  throw new Error('a post has a version')
}

/** What an edit changed; null: one of the two versions was redacted. */
function changesBetween(older: VersionRow, newer: VersionRow) {
  if (older.body === null || newer.body === null) return null
  const body = changedWords(mentionsAsNames(older.body), mentionsAsNames(newer.body))
  const title = older.title === null || newer.title === null ? null : changedWords(older.title, newer.title)
  return {
    title,
    body,
    tags: changedTags(older.tags, newer.tags),
    ...countWords([...body, ...(title ?? [])]),
  }
}

/** Tags are a set: those that stay, those that came, those that went. */
function changedTags(older: readonly string[] | null, newer: readonly string[] | null): Piece[] | null {
  if (older === null || newer === null) return null
  const pieces = (kind: Piece['kind'], tags: readonly string[], isSuch: (tag: string) => boolean) =>
    tags.filter(isSuch).map((text) => ({ kind, text }))
  return [
    ...pieces('same', newer, (tag) => older.includes(tag)),
    ...pieces('added', newer, (tag) => !older.includes(tag)),
    ...pieces('removed', older, (tag) => !newer.includes(tag)),
  ]
}

/** Earlier versions are rendered when they are looked at. */
async function wholeOf({ title, body, tags }: VersionRow) {
  if (body === null) return null
  const [{ html }] = await prepareMarkdown([body])
  return { title, html, lang: languageOfPost(html), tags }
}
