import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PUSH_RHYTHMS, RHYTHMS } from '../../database/schema.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { type PageContext, page } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { pushSectionFor } from '../pushing/subscriptions.ts'
import { findMailSettings, readUnsubscribeToken, type Unsubscribing } from './choices.ts'
import { kindsFor, mailChoice, mailEnd, PUSHED } from './operations.ts'

const PATH = '/settings/notifications' as const
const LEARNERS = 'learners'
const STAFF = 'staff'

export function registerMailSettings(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showMailSettings(request, reply))
  openForm(app, PATH, mailChoice, {
    key: () => null,
    formPage: () => PATH,
    input: (request) => choicesIn(sentFields(request.body)),
    done: () => PATH,
    flash: () => 'mailing.flash.saved',
  })
}

/** How often mail and pushes come, and of what: views/mailing/settings.eta. */
export const showMailSettings = settingsPage(
  'mailing/settings',
  PATH,
  { script: 'push' },
  async (context) => {
    const { t, isSending } = context
    const settings = await findMailSettings(context.db, context.person().id)
    const choices = (chosen: string, values: readonly string[]) =>
      values.map((value) => ({
        value,
        text: t(`mailing.rhythm.${value}`),
        hint: t(`mailing.rhythmHint.${value}`),
        isChosen: value === chosen,
      }))
    return {
      title: t('mailing.settings'),
      email: settings.email,
      isConfirmed: settings.isConfirmed,
      isSending,
      // Three mails in a row came back from the address.
      isStopped: settings.isStopped,
      rhythms: choices(settings.rhythm, RHYTHMS),
      courses: settings.courses.map(({ slug, title, language, rhythm }) => ({
        name: `course_${slug}`,
        title,
        lang: language,
        rhythms: choices(rhythm ?? 'default', ['default', ...RHYTHMS]),
      })),
      pushRhythms: PUSH_RHYTHMS.map((value) => ({
        value,
        text: t(`mailing.push.${value}`),
        isChosen: value === settings.pushRhythm,
      })),
      kinds: kindsFor(settings).map((kind) => ({
        name: kind.name,
        text: t(`mailing.kind.${kind.name}`),
        isMailed: !kind.reasons.some((reason) => settings.mailsOff.includes(reason)),
        isPushed: PUSHED.includes(kind)
          ? !kind.reasons.some((reason) => settings.pushesOff.includes(reason))
          : null,
      })),
      // The form says itself which kinds it has: somebody may become staff before they save it.
      kindsFor: settings.isStaff ? STAFF : LEARNERS,
      push: await pushSectionFor(context),
    }
  },
)

/**
 * Reads a form's fields: `course_<slug>`, and `kind_<name>` and `push_<name>` for each box that is ticked; `kinds` and `push` say that it
 * has boxes.
 */
function choicesIn({ rhythm, push, resume, kinds: shown, ...fields }: Readonly<Record<string, unknown>>) {
  const named = (prefix: string) =>
    Object.entries(fields).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    )
  const kinds = named('kind_').map(([name]) => name)
  return {
    rhythm,
    courses: Object.fromEntries(named('course_')),
    ...((shown !== undefined || kinds.length > 0) && { kinds }),
    ...(push !== undefined && { push, pushes: named('push_').map(([name]) => name) }),
    shown: shown === LEARNERS ? LEARNERS : STAFF,
    resume: resume === '1',
  }
}

/** What the link in the address ends, and for whom. @throws Problem 404 */
function named({ params, server }: Pick<PageContext, 'params' | 'server'>): Unsubscribing {
  const found = readUnsubscribeToken(server.secretKeys, textParam({ params }, 'token'))
  if (found === null) throw notFound()
  return found
}

export const showUnsubscribe = page(
  'mailing/unsubscribe',
  { robots: 'noindex' },
  (context, isDone: boolean) => ({
    title: context.t(isDone ? 'mailing.end.doneTitle' : 'mailing.end.title'),
    what: named(context).what,
    isDone,
    action: `/unsubscribe/${textParam(context, 'token')}`,
  }),
)

/**
 * `/unsubscribe/:token`: no cookie and no form's token, as mail programs send the post themselves (RFC 8058); opened by GET it changes
 * nothing, as scanners of mail open links.
 */
export function registerUnsubscribe(app: FastifyInstance): void {
  app.get('/unsubscribe/:token', (request, reply) => showUnsubscribe(request, reply, false))
  void app.register(async (scope) => {
    // RFC 8058, 3.1 allows either type. There is nothing in it that the address does not say.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) =>
      done(null, {}),
    )
    const ended = (request: FastifyRequest, reply: FastifyReply) =>
      showUnsubscribe(request, reply.code(200), true)
    openForm(scope, '/unsubscribe/:token', mailEnd, {
      isFromAnywhere: true,
      actor: (request) => ({ id: named(request).personId }),
      key: () => null,
      input(request) {
        const { rhythm } = sentFields(request.body)
        const { what, id } = named(request)
        return { what, id: String(id), rhythm: RHYTHMS.find((one) => one === rhythm) }
      },
      done: (_, request) => request.url,
      shown: ended,
      // A deleted account gets no email.
      failed: (request, reply, error) =>
        error instanceof Problem && error.key === 'leaving' ? ended(request, reply) : null,
    })
  })
}
