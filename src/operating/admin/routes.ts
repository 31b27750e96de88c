import type { FastifyInstance } from 'fastify'
import { askingOf, refuseFormOfStranger } from '../../accounts/identity/reauthentication.ts'
import { forbidden } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { may } from '../../kernel/rights/rights.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { type FormState, form, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { formFields } from '../../web/forms/fields.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { siteSettingsChange } from './operations.ts'

const PATH = '/settings/site'
const MONTHS = { inputmode: 'numeric', required: true } as const
const siteForm = form(siteSettingsChange.input)

/** What admins decide for the whole forum. Changes ask for the password again. */
export function registerSite(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showSite(request, reply))

  openForm(app, PATH, siteSettingsChange, {
    key: () => null,
    formPage: () => PATH,
    async instead(request, reply) {
      requireAdmin(request.requirePerson())
      return refuseFormOfStranger(request, reply, siteForm, showSite)
    },
    done: () => PATH,
    flash: () => 'accounts.flash.saved',
    refused: showSite,
  })
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(person: Person): void {
  if (!may(person, 'decide-settings')) throw forbidden()
}

export const showSite = settingsPage('admin/settings', PATH, {}, async (context, sent?: FormState) => {
  const { t, db } = context
  requireAdmin(context.person())
  const { staffNeedSecondFactor, auditMonths, caseMonths } = await findSiteSettings(db)
  const form =
    sent ??
    freshForm({
      staff_second_factor: staffNeedSecondFactor ? 'required' : 'optional',
      audit_months: String(auditMonths),
      case_months: String(caseMonths),
    })
  return {
    title: t('site.title'),
    form,
    fields: formFields(t, 'site', siteSettingsChange.input, form, {
      audit_months: MONTHS,
      case_months: MONTHS,
    }),
    ...(await askingOf(context)),
  }
})
