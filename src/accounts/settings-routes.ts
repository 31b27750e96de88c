import type { FastifyInstance } from 'fastify'
import { freshForm } from '../web/form.ts'
import { findKeptForm } from '../web/kept-forms.ts'
import { changeProfile } from './commands.ts'
import { profileForm, SYSTEM } from './forms.ts'
import { sessionOf } from './in-session.ts'
import { showSettings, typedOf } from './settings-page.ts'

export function registerSettings(app: FastifyInstance): void {
  app.get('/settings', async (request, reply) => {
    const person = request.requirePerson()
    const kept = await findKeptForm(request)
    return showSettings(request, reply, person, { profile: freshForm({ ...typedOf(person), ...kept }) })
  })

  const config = { limit: 'posting', needsPerson: true, formPage: () => '/settings' } as const
  app.post('/settings', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = profileForm.parse(request.body)
    if (!form.ok) return showSettings(request, reply, person, { profile: form }, 422)
    const { display_name: displayName, language, time_zone: timeZone, theme } = form.values
    await changeProfile(app.db, sessionOf(request), {
      displayName,
      language: language === SYSTEM ? null : language,
      timeZone,
      theme,
    })
    return reply.flash('accounts.flash.saved').redirect('/settings', 303)
  })
}
