import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Guesses } from '../../accounts/identity/guesses.ts'
import { askingOf, refuseFormOfStranger } from '../../accounts/identity/reauthentication.ts'
import { forbidden } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { may } from '../../kernel/rights/rights.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { type FormState, form, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { SECOND_FACTOR_CHOICES, siteSettingsChange } from './operations.ts'

const PATH = '/settings/site'
const siteForm = form(siteSettingsChange.input)

/** What admins decide for the whole forum. Changes ask for the password again. */
export function registerSite(app: FastifyInstance, guesses: Guesses): void {
  app.get(PATH, async (request, reply) => {
    const admin = requireAdmin(request)
    const { staffNeedSecondFactor, auditMonths, caseMonths } = await findSiteSettings(app.db)
    const typed = {
      staff_second_factor: staffNeedSecondFactor ? 'required' : 'optional',
      audit_months: String(auditMonths),
      case_months: String(caseMonths),
    }
    return showSite(request, reply, admin, freshForm(typed))
  })

  openForm(app, PATH, siteSettingsChange, {
    key: () => null,
    formPage: () => PATH,
    async instead(request, reply) {
      const admin = requireAdmin(request)
      return refuseFormOfStranger(request, reply, guesses, siteForm, (form, status) =>
        showSite(request, reply, admin, form, status),
      )
    },
    done: () => PATH,
    flash: () => 'accounts.flash.saved',
    refused: (request, reply, form) => showSite(request, reply, requireAdmin(request), form, 422),
  })
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(request: FastifyRequest): Person {
  const person = request.requirePerson()
  if (!may(person, 'decide-settings')) throw forbidden()
  return person
}

export async function showSite(
  request: FastifyRequest,
  reply: FastifyReply,
  admin: Person,
  form: FormState,
  status = 200,
) {
  const t = translatorFor(request)
  const options = SECOND_FACTOR_CHOICES.map((value) => ({
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
