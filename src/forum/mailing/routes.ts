import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Language, RHYTHMS } from '../../database/schema.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { pushSectionFor } from '../pushing/subscriptions.ts'
import { findMailSettings, readUnsubscribeToken, type Unsubscribing } from './choices.ts'
import { kindsFor, mailChoice, mailEnd } from './operations.ts'

interface Choice {
  readonly value: string
  readonly text: string
  readonly hint?: string
  readonly isChosen: boolean
}

/** How often mail comes, and of what: views/mailing/settings.eta. */
interface MailSettingsPage extends InSettings {
  readonly email: string | null
  readonly isConfirmed: boolean
  /** There is a mail server. */
  readonly isSending: boolean
  /** Three mails in a row came back from the address. */
  readonly isStopped: boolean
  readonly rhythms: readonly Choice[]
  readonly courses: readonly {
    readonly name: string
    readonly title: string
    readonly lang: Language
    readonly rhythms: readonly Choice[]
  }[]
  readonly kinds: readonly { readonly name: string; readonly text: string; readonly isOn: boolean }[]
  /** Which kinds the form has, as it says itself: somebody may become staff before they save it. */
  readonly kindsFor: typeof LEARNERS | typeof STAFF
  /** null: nothing can be pushed. */
  readonly push: Awaited<ReturnType<typeof pushSectionFor>>
}

const PATH = '/settings/notifications' as const
const LEARNERS = 'learners'
const STAFF = 'staff'

export function registerMailSettings(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => show(request, reply, request.requirePerson()))
  openForm(app, PATH, mailChoice, {
    key: () => null,
    formPage: () => PATH,
    input: (request) => choicesIn(sentFields(request.body)),
    done: () => PATH,
    flash: () => 'mailing.flash.saved',
  })
}

async function show(request: FastifyRequest, reply: FastifyReply, person: Person) {
  const t = translatorFor(request)
  const settings = await findMailSettings(request.server.db, person.id)
  const choices = (chosen: string, values: readonly string[]): Choice[] =>
    values.map((value) => ({
      value,
      text: t(`mailing.rhythm.${value}`),
      hint: t(`mailing.rhythmHint.${value}`),
      isChosen: value === chosen,
    }))
  return reply.page<MailSettingsPage>(
    'mailing/settings',
    {
      title: t('mailing.title'),
      email: settings.email,
      isConfirmed: settings.isConfirmed,
      isSending: request.server.config.smtpUrl !== null,
      isStopped: settings.isStopped,
      rhythms: choices(settings.rhythm, RHYTHMS),
      courses: settings.courses.map(({ slug, title, language, rhythm }) => ({
        name: `course_${slug}`,
        title,
        lang: language,
        rhythms: choices(rhythm ?? 'default', ['default', ...RHYTHMS]),
      })),
      kinds: kindsFor(settings).map(({ name, reasons }) => ({
        name: `kind_${name}`,
        text: t(`mailing.kind.${name}`),
        isOn: !reasons.some((reason) => settings.mailsOff.includes(reason)),
      })),
      kindsFor: settings.isStaff ? STAFF : LEARNERS,
      push: await pushSectionFor(request),
      ...settingsNav(request, PATH),
    },
    { script: 'push' },
  )
}

/** Reads a form's fields: `course_<slug>`, and `kind_<name>` for each box that is ticked; `kinds` says that it has boxes. */
function choicesIn({ rhythm, resume, kinds: shown, ...fields }: Readonly<Record<string, unknown>>) {
  const named = (prefix: string) =>
    Object.entries(fields).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    )
  const kinds = named('kind_').map(([name]) => name)
  return {
    rhythm,
    courses: Object.fromEntries(named('course_')),
    ...((shown !== undefined || kinds.length > 0) && { kinds }),
    shown: shown === LEARNERS ? LEARNERS : STAFF,
    resume: resume === '1',
  }
}

/** Ending mail by a link in it: views/mailing/unsubscribe.eta. */
interface UnsubscribePage {
  readonly what: Unsubscribing['scope']['what']
  readonly isDone: boolean
  readonly action: string
}

/**
 * `/unsubscribe/:token`: no cookie and no form's token, as mail programs send the post themselves (RFC 8058); opened by GET it changes
 * nothing, as scanners of mail open links.
 */
export function registerUnsubscribe(app: FastifyInstance, keys: SecretKeys): void {
  const page = (request: FastifyRequest, { scope }: Unsubscribing, isDone: boolean) => ({
    title: translatorFor(request)(isDone ? 'mailing.end.doneTitle' : 'mailing.end.title'),
    what: scope.what,
    isDone,
    action: `/unsubscribe/${textParam(request, 'token')}`,
  })
  const named = (request: FastifyRequest): Unsubscribing => {
    const found = readUnsubscribeToken(keys, textParam(request, 'token'))
    if (found === null) throw notFound()
    return found
  }
  app.get('/unsubscribe/:token', async (request, reply) =>
    reply.page<UnsubscribePage>('mailing/unsubscribe', page(request, named(request), false), {
      robots: 'noindex',
    }),
  )
  void app.register(async (scope) => {
    // RFC 8058, 3.1 allows either type. There is nothing in it that the address does not say.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) =>
      done(null, {}),
    )
    const ended = async (request: FastifyRequest, reply: FastifyReply) =>
      reply.page<UnsubscribePage>('mailing/unsubscribe', page(request, named(request), true), {
        robots: 'noindex',
      })
    openForm(scope, '/unsubscribe/:token', mailEnd, {
      isFromAnywhere: true,
      actor: (request) => ({ id: named(request).personId }),
      key: () => null,
      input(request) {
        const { rhythm } = sentFields(request.body)
        return { id: '', ...named(request).scope, rhythm: RHYTHMS.find((one) => one === rhythm) }
      },
      done: (_, request) => request.url,
      shown: ended,
      // A deleted account gets no email.
      failed: (request, reply, error) =>
        error instanceof Problem && error.key === 'leaving' ? ended(request, reply) : null,
    })
  })
}
