import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { changedWords, countWords, type Piece } from '../../text/changed-words.ts'
import { languageOfPost } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { translatorFor } from '../../web/appearance.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { bylineOf } from '../authors/byline.ts'
import { FIND, questionOf } from '../posts/find.ts'
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
  app.get(`/${table}/:id/history`, (request, reply) => showHistory(request, reply, table))

  const { restoration, redaction } = HISTORIES[table]
  const key = (request: FastifyRequest) => ({
    id: idParam(request, 'id'),
    version: versionIn(textParam(request, 'version')),
  })
  const done = (_: unknown, request: FastifyRequest) => historyPath(table, key(request).id)
  openForm(app, `/${table}/:id/history/:version/restoration`, restoration, {
    key,
    input: (request) => {
      const { version } = key(request)
      return { reason: translatorFor(request)('history.restoredReason', { version }) }
    },
    done,
    flash: (_, outcome) => RESTORED[outcome ?? 'unknown'],
  })
  openForm(app, `/${table}/:id/history/:version/redaction`, redaction, {
    key,
    done,
    flash: (_, outcome) => (outcome?.isDone === true ? 'history.flash.redacted' : 'history.flash.unknown'),
  })
}

const historyPath = (table: PostTable, id: number) => `/${table}/${id}/history`

/** 0, which no version has, for what is no number: it is answered as any other that is not there. */
function versionIn(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
}

export const showHistory = page(
  'history/show',
  { robots: 'noindex', isForStaff: true, showsTexts: true },
  async (context, table: PostTable) => {
    const { t, db, viewer } = context
    const person = context.person()
    const post = { ...(await FIND[table](db, person, idParam(context, 'id'), 'see-history')), table }
    const rows = await versionsOf(db, post, versionIn(queryParam(context, 'version') ?? ''))
    const at = Math.max(
      0,
      rows.findIndex((row) => row.is_shown),
    )
    const path = historyPath(table, post.id)
    const addressOf = ({ version }: VersionRow, view: string | null = null) =>
      pathWith(path, { version, view })
    const versions = rows.map((one, index) => ({
      path: addressOf(one),
      author: bylineOf({ t, viewer }, one, post.courseId),
      writtenAt: writtenMoment(new Date(one.written_at), person.timeZone ?? one.time_zone, t),
      reason: one.reason,
      isShown: index === at,
      isFirst: index === rows.length - 1,
      isRedacted: one.is_redacted,
    }))
    const [row, earlier = null] = rows.slice(at)
    const shown = versions[at]
    if (row === undefined || shown === undefined) throw notFound()
    const changes = earlier === null ? null : changesBetween(earlier, row)
    const wantsWhole = changes === null || queryParam(context, 'view') === 'text'
    const decides = at > 0 && row.body !== null && may(viewer, 'decide-history', post)
    return {
      title: t('history.title'),
      backPath: KINDS[table].path(questionOf(post), post.id),
      backText: post.title === '' ? t('posts.back') : post.title,
      versions,
      shown,
      changes: wantsWhole ? null : changes,
      whole: wantsWhole ? await wholeOf(row) : null,
      wordsPath: addressOf(row),
      wholePath: addressOf(row, 'text'),
      earlierPath: earlier === null ? null : addressOf(earlier),
      restorePath: decides ? `${path}/${row.version}/restoration` : null,
      redactPath: decides ? `${path}/${row.version}/redaction` : null,
      head: { about: [post.title, at === 0 ? null : shown.writtenAt.title].filter(Boolean).join(' · ') },
    }
  },
)

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
