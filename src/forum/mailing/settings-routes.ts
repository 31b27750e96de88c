import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type InSettings, settingsNav } from '../../accounts/settings-nav.ts'
import { type Language, RHYTHMS, type Rhythm } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { Problem } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import { languageOfRequest } from '../../web/language.ts'
import { type PushSection, pushSectionFor } from '../pushing/section.ts'
import { type MailChoices, saveMailChoices } from './commands.ts'
import { KINDS, kindsFor } from './kinds.ts'
import { findMailSettings, type MailSettings } from './queries.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'mailing/settings': MailSettingsPage
  }
}

interface Choice {
  readonly value: string
  readonly text: string
  readonly hint?: string
  readonly isChosen: boolean
}

/** How often mail comes, and of what: views/mailing/settings.eta. */
export interface MailSettingsPage extends InSettings {
  readonly email: string | null
  readonly isConfirmed: boolean
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
  readonly push: PushSection | null
}

const PATH = '/settings/notifications' as const
const LEARNERS = 'learners'
const STAFF = 'staff'

export function registerMailSettings(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => show(request, reply, request.requirePerson()))
  const config = { limit: 'posting', needsPerson: true, formPage: () => PATH } as const
  app.post(PATH, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const settings = await findMailSettings(app.db, person.id)
    await saveMailChoices(app.db, person.id, choicesOf(request.body, settings))
    return reply.flash('mailing.flash.saved').redirect(PATH, 303)
  })
}

async function show(request: FastifyRequest, reply: FastifyReply, person: Person) {
  const t = translatorOf(languageOfRequest(request))
  const settings = await findMailSettings(request.server.db, person.id)
  const choices = (chosen: string, values: readonly string[]): Choice[] =>
    values.map((value) => ({
      value,
      text: t(`mailing.rhythm.${value}`),
      hint: t(`mailing.rhythmHint.${value}`),
      isChosen: value === chosen,
    }))
  return reply.page(
    'mailing/settings',
    {
      title: t('mailing.title'),
      email: settings.email,
      isConfirmed: settings.isConfirmed,
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

/** @throws Problem 422 for what no form of ours sends: a field twice, another rhythm */
function choicesOf(body: unknown, { courses, mailsOff, isStaff }: MailSettings): MailChoices {
  const fields = new Map(Object.entries(typeof body === 'object' && body !== null ? body : {}))
  const rhythmIn = (name: string): Rhythm | undefined => {
    if (!fields.has(name)) return undefined
    const rhythm = RHYTHMS.find((one) => one === fields.get(name))
    if (rhythm === undefined) throw new Problem('invalid')
    return rhythm
  }
  const chosen = courses.flatMap(({ id, slug }): [number, Rhythm | null][] => {
    const name = `course_${slug}`
    if (fields.get(name) === 'default') return [[id, null]]
    const rhythm = rhythmIn(name)
    return rhythm === undefined ? [] : [[id, rhythm]]
  })
  const rhythm = rhythmIn('rhythm')
  // A box that is not ticked sends nothing: the form says that it has them. What it does not show stays as it is.
  const hasKinds = fields.has('kinds') || [...fields.keys()].some((name) => name.startsWith('kind_'))
  const shown = kindsFor({ isStaff: isStaff && fields.get('kinds') !== LEARNERS })
  const off = KINDS.flatMap((kind): readonly string[] => {
    if (fields.has(`kind_${kind.name}`)) return []
    return shown.includes(kind) ? kind.reasons : kind.reasons.filter((reason) => mailsOff.includes(reason))
  })
  return {
    courses: new Map(chosen),
    isResumed: fields.get('resume') === '1',
    ...(rhythm !== undefined && { rhythm }),
    ...(hasKinds && { mailsOff: off }),
  }
}
