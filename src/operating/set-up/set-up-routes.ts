import type { FastifyInstance } from 'fastify'
import { AddressTaken } from '../../accounts/address/address.ts'
import { FIRST_ACCESS } from '../../accounts/identity/access.ts'
import { DeadLink } from '../../accounts/identity/mail-links.ts'
import { OF_LINK, orDeadLink, showDeadLink, tokenOf } from '../../accounts/identity/opened-link.ts'
import { hashNewPassword } from '../../accounts/identity/passwords.ts'
import { welcome } from '../../accounts/sessions/welcome.ts'
import { courseTimeZoneOptions, OWN_LANGUAGES } from '../../accounts/settings/settings-page.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { logSerializers } from '../../web/transport/log-serializers.ts'
import { isSetUpToken, setUp, setUpForm } from './set-up.ts'

/** What the page of a dead set-up link says. */
const DEAD_LINK = {
  title: 'accounts.deadSetUp.title',
  text: 'accounts.deadSetUp.text',
  advice: 'accounts.deadSetUp.advice',
}

/** The first page of a brand-new forum: its admin and its first course. The log of the start has the link to it. */
export function registerSetUp(app: FastifyInstance): void {
  app.get('/set-up', { logSerializers }, async (request, reply) => {
    const token = queryParam(request, 'token')
    if (token === null || !(await isSetUpToken(app.db, token))) return showDeadLink(request, reply, DEAD_LINK)
    return showSetUp(request, reply, token)
  })

  openForm(app, '/set-up', setUp, {
    key: () => null,
    ...OF_LINK,
    async input(request) {
      if (!(await isSetUpToken(app.db, tokenOf(request)))) throw new DeadLink()
      const form = setUpForm.read(request.body)
      const { display_name: displayName, email, title, field } = form.values
      const whose = { displayName, email }
      const password = await hashNewPassword(app, form.values.password, whose, title, field)
      return { ...form.typed, password }
    },
    done: ({ courseSlug }) => coursePath(courseSlug),
    shown: (request, reply, { adminId: personId, courseSlug }) =>
      welcome(request, reply, {
        personId,
        accessVersion: FIRST_ACCESS,
        way: 'set-up',
        path: coursePath(courseSlug),
        flash: 'accounts.flash.setUp',
      }),
    refused: (request, reply, form) => showSetUp(request, reply, tokenOf(request), form),
    failed: (request, reply, error, form) =>
      error instanceof AddressTaken
        ? showSetUp(request, reply.code(422), tokenOf(request), refuse(form, 'email', 'accounts.setUp.taken'))
        : orDeadLink(DEAD_LINK)(request, reply, error),
  })
}

export const showSetUp = page(
  'accounts/set-up',
  { script: 'timeZones' },
  ({ t, formFields, lang, config }, token: string, sent?: FormState) => {
    const form = sent ?? freshForm({ language: lang, time_zone: config.timeZone })
    const { display_name, email, password, ...course } = setUp.input
    return {
      title: t('accounts.setUp.pageTitle'),
      form,
      token,
      fields: formFields('signUp', { display_name, email, password }, form),
      courseFields: formFields('setUp', course, form, {
        language: { options: OWN_LANGUAGES },
        time_zone: { options: courseTimeZoneOptions(lang, form.typed.time_zone) },
        lectures: { rows: 8, max: undefined },
      }),
      signInPath: '/sign-in',
    }
  },
)
