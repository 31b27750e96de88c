import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hasSecondFactor } from '../../accounts/identity/factors.ts'
import type { Guesses } from '../../accounts/identity/guesses.ts'
import { type Asking, askingOf, refuseStranger } from '../../accounts/identity/password-again.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { choice, optional } from '../../operations/fields.ts'
import { forbidden } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import { may } from '../../rights/rights.ts'
import { AUDIT_MONTHS, changeSiteSettings, findSiteSettings } from '../../rights/site-settings.ts'
import { type FormState, form, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'admin/settings': SiteSettingsPage
  }
}

export interface SiteSettingsPage extends Asking, InSettings {
  readonly form: FormState
  readonly options: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[]
}

const PATH = '/settings/site'
const CHOICES = ['optional', 'required'] as const
/** Empty: as it is. */
const auditMonths = optional(
  z.string().transform((value, context) => {
    const months = /^\d{1,3}$/.test(value.trim()) ? Number(value) : 0
    if (months >= AUDIT_MONTHS.min && months <= AUDIT_MONTHS.max) return months
    context.addIssue({ code: 'custom', message: 'site.audit.wrong', params: AUDIT_MONTHS })
    return z.NEVER
  }),
)

const siteForm = form({ staff_second_factor: choice(CHOICES), audit_months: auditMonths })

/** What admins decide for the whole forum. Changes ask for the password again. */
export function registerSite(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn', needsPerson: true, formPage: () => PATH } as const

  app.get(PATH, async (request, reply) => {
    const admin = requireAdmin(request)
    const { staffNeedSecondFactor, auditMonths } = await findSiteSettings(app.db)
    const typed = {
      staff_second_factor: staffNeedSecondFactor ? 'required' : 'optional',
      audit_months: String(auditMonths),
    }
    return showSite(request, reply, admin, freshForm(typed))
  })

  app.post(PATH, { config }, async (request, reply) => {
    const admin = requireAdmin(request)
    const form = siteForm.parse(request.body)
    if (!form.ok) return showSite(request, reply, admin, form, 422)
    const show = ({ errors }: FormState, status: number) =>
      showSite(request, reply, admin, { typed: form.typed, errors }, status)
    const refused = await refuseStranger(request, reply, guesses, show)
    if (refused !== null) return refused
    const staffNeedSecondFactor = form.values.staff_second_factor === 'required'
    // An admin who requires it must have one, so as not to be locked out.
    if (staffNeedSecondFactor && !(await hasSecondFactor(app.db, admin.id)))
      return show(refuse(form, 'staff_second_factor', 'site.yoursFirst'), 422)
    const months = form.values.audit_months
    await changeSiteSettings(app.db, {
      staffNeedSecondFactor,
      ...(months !== null && { auditMonths: months }),
    })
    noteEvent(request, 'site-settings-changed', { staffNeedSecondFactor })
    return reply.flash('accounts.flash.saved').redirect(PATH, 303)
  })
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(request: FastifyRequest): Person {
  const person = request.requirePerson()
  if (!may(person, 'decide-settings')) throw forbidden()
  return person
}

async function showSite(
  request: FastifyRequest,
  reply: FastifyReply,
  admin: Person,
  form: FormState,
  status = 200,
) {
  const t = translatorOf(languageOfRequest(request))
  const options = CHOICES.map((value) => ({
    value,
    text: t(`site.secondFactor.${value}`),
    selected: value === form.typed.staff_second_factor,
  }))
  return reply.page(
    'admin/settings',
    {
      title: t('site.title'),
      form,
      options,
      ...settingsNav(request, PATH),
      ...(await askingOf(request, admin)),
    },
    { status },
  )
}
