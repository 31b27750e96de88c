import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { shortened } from '../../text/characters.ts'
import { translatorFor } from '../../web/appearance.ts'
import { sentFields } from '../../web/form.ts'
import { page } from '../../web/page.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { endAgentDraft } from './agent-draft.ts'
import { type Draft, deleteDraft, findDraft, findDraftById, listDrafts, saveDraft } from './draft.ts'
import { agentDraftPage, draftFormAt, draftPlaceOf, isStrange, readDraftForm } from './text-form.ts'

/** What is typed into a form before it is posted, and what agents left for one. */
export function registerDrafts(app: FastifyInstance): void {
  app.get('/drafts', async (request, reply) => {
    const person = request.requirePerson()
    const place = queryParam(request, 'place')
    if (place !== null && wantsJson(request)) {
      const draft = await findDraft(app.db, person.id, draftPlaceOf(place))
      return sendDraft(reply, 200, draft)
    }
    return showDrafts(request, reply)
  })

  const config = { limit: 'drafts', needsPerson: true, formPage: () => '/drafts' } as const
  app.post('/drafts', { config }, async (request, reply) => {
    const person = request.requirePerson()
    if (wantsJson(request) && isStrange(request.body))
      return reply.code(422).send({ error: translatorFor(request)('forms.unknown') })
    const form = readDraftForm(request.body)
    if (form === null) throw new Problem('tooLarge')
    const target = draftFormAt(form.place)
    if (target === null) throw new Problem('invalid')
    const { isSaved, draft } = await saveDraft(app.db, { personId: person.id, ...form })
    if (wantsJson(request)) return sendDraft(reply, isSaved ? 200 : 409, draft)
    if (draft === null) return reply.flash('drafts.flash.posted').redirect('/drafts', 303)
    if (!isSaved) return showConflict(request, reply.code(409), draft, form.fields)
    return reply.flash('drafts.flash.saved').redirect('/drafts', 303)
  })

  app.post('/questions/:id/agent-draft', { config }, async (request, reply) => {
    const personId = request.requirePerson().id
    const questionId = idParam(request, 'id')
    const place = `/questions/${questionId}/answers`
    const form = readDraftForm({ ...sentFields(request.body), place })
    if (form === null) throw new Problem('tooLarge')
    const { act, ...typed } = form.fields
    if (act !== 'use' && act !== 'discard') throw new Problem('invalid')
    const isUsed = act === 'use'
    const { own, lost } = await endAgentDraft(app.db, { personId, questionId, isUsed }, typed)
    if (own !== null && lost !== null) return showConflict(request, reply.code(409), own, lost)
    const path = own === null ? `/questions/${questionId}#answer` : draftPath(own)
    return reply.flash(isUsed ? 'drafts.flash.used' : 'drafts.flash.deleted').redirect(path, 303)
  })

  app.post('/drafts/:id/delete', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const id = idParam(request, 'id')
    const draft = await findDraftById(app.db, person.id, id)
    await deleteDraft(app.db, person.id, id)
    if (wantsJson(request)) return reply.code(204).send()
    const isFromForm = draft !== null && queryParam(request, 'back') === 'form'
    const path = isFromForm ? (draftFormAt(draft.place)?.page ?? '/drafts') : '/drafts'
    return reply.flash('drafts.flash.deleted').redirect(path, 303)
  })
}

export const showDrafts = page('drafts/index', {}, async ({ t, db, config, person }) => {
  const drafts = await listDrafts(db, person())
  return {
    title: t('drafts.title'),
    drafts: drafts.map((draft) => {
      const { title = '', body = '' } = draft.fields
      const kind = kindOf(draft.place)
      const timeZone = person().timeZone ?? draft.time_zone ?? config.timeZone
      return {
        kind: t(`drafts.kind.${kind}`, { client: draft.fields.client ?? '' }),
        untitled: t(`drafts.untitled.${kind}`),
        // Of what is asked, or of the question that it belongs to; empty: there is none, or it may not be told.
        title: kind === 'ask' || kind === 'announcement' ? title : (draft.question ?? ''),
        course: draft.course,
        excerpt: shortened(body, EXCERPT_LENGTH),
        savedAt: writtenMoment(draft.saved_at, timeZone, t),
        path: draftPath(draft),
        deletePath: `/drafts/${draft.id}/delete`,
      }
    }),
  }
})

/** Two versions of one draft: the one that was sent, and a newer one from another tab or device. */
export const showConflict = page(
  'drafts/conflict',
  { showsTexts: true, robots: 'noindex' },
  ({ t }, draft: Draft, fields: Readonly<Record<string, string>>) => ({
    title: t('drafts.conflict.title'),
    theirs: draftText(draft.fields),
    yours: draftText(fields),
    place: draft.place,
    version: draft.version,
    fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
    path: draftPath(draft),
  }),
)

/** For the script that saves while one types. */
function sendDraft(reply: FastifyReply, status: 200 | 409, draft: Draft | null) {
  const json = draft && {
    id: draft.id,
    version: draft.version,
    fields: draft.fields,
    savedAt: draft.saved_at.toISOString(),
  }
  return reply
    .code(status)
    .header('cache-control', 'private, no-store')
    .send(json ?? { id: null })
}

function wantsJson(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('application/json') === true
}

/** Characters of a text in the list. */
const EXCERPT_LENGTH = 200

function kindOf(place: string) {
  if (agentDraftPage(place) !== null) return 'agent'
  if (draftFormAt(place)?.action === '/questions') return 'ask'
  if (place.includes('/announcements/')) return 'announcement'
  if (place.endsWith('/edit')) return 'edit'
  return place.endsWith('/answers') ? 'answer' : 'reply'
}

function draftPath(draft: Draft): string {
  const page = agentDraftPage(draft.place)
  if (page !== null) return page
  const [address = '/drafts', fragment] = (draftFormAt(draft.place)?.page ?? '/drafts').split('#')
  const withDraft = `${address}${address.includes('?') ? '&' : '?'}draft=${draft.id}`
  return fragment === undefined ? withDraft : `${withDraft}#${fragment}`
}

function draftText(fields: Readonly<Record<string, string>>): string {
  return [fields.title, fields.body].filter(Boolean).join('\n\n')
}
