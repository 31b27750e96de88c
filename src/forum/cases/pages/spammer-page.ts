import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../../../kernel/rights/rights.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { type FormState, freshForm, sentFields, typedFields } from '../../../web/form.ts'
import { openForm, type Said } from '../../../web/forms/door.ts'
import { page } from '../../../web/page.ts'
import { idParam } from '../../../web/params.ts'
import { backPath, pathWith } from '../../../web/paths.ts'
import { zoneIn } from '../../courses/course-page.ts'
import { spamDomains } from '../spam-domains.ts'
import { isSuspendedForGood, spammer, spammerAct, spammerCounts, spammerUndo } from '../spammer.ts'
import { actPage, courseIn, type Sent } from './person-act-page.ts'

/** `/people/:id/spammer`: what marking somebody as a spammer does, does it, and takes it back. */
export function registerSpammer(app: FastifyInstance): void {
  const profile = (request: FastifyRequest) => `/people/${idParam(request, 'id')}`
  const door = {
    key: (request: FastifyRequest) => ({ personId: idParam(request, 'id'), course: courseIn(request) }),
    done: (_outcome: unknown, request: FastifyRequest) => backPath(request, profile(request)),
    formPage: (request: FastifyRequest) =>
      pathWith(`${profile(request)}/spammer`, { course: courseIn(request) || null }),
    refused: (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
      showSpammer(request, reply, form, typedFields(request.body), domainsIn(request.body)),
  }
  app.get('/people/:id/spammer', (request, reply) => showSpammer(request, reply))
  openForm(app, '/people/:id/spammer', spammer, {
    ...door,
    flash: (request, outcome): Said => ({
      said: [
        { key: outcome?.isDone === false ? 'spammer.flash.before' : 'spammer.flash.done' },
        ...(outcome === null || domainsIn(request.body).length === 0
          ? []
          : [{ key: 'spammer.flash.blocked', values: { count: outcome.blocked } }]),
      ],
      act: pathWith(`${profile(request)}/spammer/undo`, { course: courseIn(request) || null }),
    }),
  })
  openForm(app, '/people/:id/spammer/undo', spammerUndo, {
    ...door,
    flash: (_request, outcome) => `spammer.flash.${outcome?.isDone === false ? 'none' : 'undone'}`,
  })
}

/** The domains that are ticked. */
function domainsIn(body: unknown): string[] {
  const { domain = [] } = sentFields(body)
  return [domain].flat().filter((name) => typeof name === 'string')
}

/** The page before somebody is marked as a spammer in a course, or everywhere, and after it. @throws Problem unless the viewer may do it */
export const showSpammer = page(
  'cases/spammer',
  { robots: 'noindex', isForStaff: true },
  async (context, form: FormState = freshForm(), sent: Sent = {}, chosen: readonly string[] = []) => {
    const { t, db, config } = context
    const { subject, shown } = await actPage(context, 'spammer', form, sent)
    const { place, course } = subject
    const done = await spammerAct(db, place)
    const isSuspended = await isSuspendedForGood(db, place)
    const isOver = done !== null && isSuspended
    const canBlock = !isOver && may(context.person(), 'change-blocklist', subject)
    const domains = canBlock ? await spamDomains(db, place, config.baseUrl) : []
    return {
      ...shown,
      title: t('spammer.title', { name: shown.name }),
      done: done && {
        by: done.by ?? t('cases.formerMember'),
        at: writtenMoment(done.at, zoneIn(context, course), t),
        undoPath: done.isLate ? null : `${shown.action}/undo`,
      },
      // null: it is done.
      counts: isOver ? null : await spammerCounts(db, place),
      domains: domains.map(({ domain, linking, addressed }) => ({
        domain,
        says: [
          ...(linking === null ? [] : [t('spammer.domain.linking', { count: linking })]),
          ...(addressed === null ? [] : [t('spammer.domain.addressed', { count: addressed })]),
        ],
        isChosen: chosen.includes(domain),
      })),
      isSuspended,
      head: { address: pathWith(shown.action, { course: shown.course || null }) },
    }
  },
)
