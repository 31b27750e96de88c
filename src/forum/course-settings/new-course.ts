import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { forbidden } from '../../operations/problem.ts'
import { may } from '../../rights/rights.ts'
import { type FormState, freshForm, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { coursePath } from '../../web/paths.ts'
import { courseMaking } from './operations.ts'
import { type SettingFields, settingFields } from './settings-page.ts'
import { withSuggestedTemplate } from './suggested-template.ts'

const PATH = '/courses/new'

/** Making a course: who runs the forum does. */
export function registerNewCourse(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    requireMaker(request)
    const begin = {
      language: languageOfRequest(request),
      time_zone: app.config.timeZone,
      visibility: 'public',
      asking: 'everybody',
      accent: 'green',
      allows_private: '1',
    }
    return showForm(request, reply, restoredForm(request, await findKeptForm(request), begin))
  })

  openForm(app, PATH, courseMaking, {
    key: () => null,
    formPage: () => PATH,
    keeps: true,
    async instead(request, reply) {
      requireMaker(request)
      const typed = typedIn(request.body, Object.keys(courseMaking.input))
      const suggested = withSuggestedTemplate(request.body, freshForm(typed), typed.language)
      return suggested === null ? null : showForm(request, reply, suggested)
    },
    done: ({ slug }) => coursePath(slug),
    flash: () => 'courseSettings.flash.made',
    refused: async (request, reply, form) => showForm(request, reply, form, 422),
  })
}

/** @throws Problem 403 */
function requireMaker(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'make-course')) throw forbidden()
}

function showForm(request: FastifyRequest, reply: FastifyReply, form: FormState, status = 200) {
  const t = translatorFor(request)
  return reply.page<SettingFields>(
    'course-settings/new',
    { title: t('courseSettings.new.title'), ...settingFields(request, form) },
    { status, isForStaff: true, script: 'timeZones' },
  )
}
