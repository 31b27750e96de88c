import type { FastifyInstance } from 'fastify'
import { askingOf, refuseFormOfStranger } from '../../accounts/identity/reauthentication.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { type FormState, form, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { siteSettingsChange } from './operations.ts'

const PATH = '/settings/site'
const siteForm = form(siteSettingsChange.input)

/** What admins decide for the whole forum. Changes ask for the password again. */
export function registerSite(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showSite(request, reply))

  openForm(app, PATH, siteSettingsChange, {
    key: () => null,
    formPage: () => PATH,
    async instead(request, reply) {
      requireRight(request.person, 'decide-settings', null)
      return refuseFormOfStranger(request, reply, siteForm, showSite)
    },
    done: () => PATH,
    flash: () => 'accounts.flash.saved',
    refused: showSite,
  })
}

export const showSite = settingsPage('admin/settings', PATH, {}, async (context, sent?: FormState) => {
  const { t, formFields, db } = context
  requireRight(context.viewer, 'decide-settings', null)
  const { staffNeedSecondFactor, complaintBodies, agents, agentDomains, ...numbers } =
    await findSiteSettings(db)
  const form =
    sent ??
    freshForm({
      staff_second_factor: staffNeedSecondFactor ? 'required' : 'optional',
      audit_months: String(numbers.auditMonths),
      case_months: String(numbers.caseMonths),
      first_day_questions: String(numbers.firstDayQuestions),
      first_day_posts: String(numbers.firstDayPosts),
      first_day_hosts: String(numbers.firstDayHosts),
      reports_that_hold: String(numbers.reportsThatHold),
      complaint_bodies: complaintBodies,
      agents,
      agent_domains: agentDomains.join(', '),
    })
  return {
    title: t('site.title'),
    form,
    fields: formFields('site', siteSettingsChange.input, form, {
      audit_months: { required: true },
      case_months: { required: true },
      first_day_questions: { required: true },
      first_day_posts: { required: true },
      first_day_hosts: { required: true },
      reports_that_hold: { required: true },
      agents: { required: true },
      agent_domains: { spellcheck: false },
    }),
    ...(await askingOf(context)),
  }
})
