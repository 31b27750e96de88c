import type { FastifyInstance } from 'fastify'
import { refuse } from '../../web/form.ts'
import { profileForm, SYSTEM } from '../identity/forms.ts'
import { sessionOf } from '../identity/in-session.ts'
import { findKeptForm, restoredForm } from '../sessions/kept-forms.ts'
import { changeProfile } from '../sign-in/commands.ts'
import { isResetName } from './reset-name.ts'
import { showSettings, typedOf } from './settings-page.ts'

export function registerSettings(app: FastifyInstance): void {
  app.get('/settings', async (request, reply) => {
    const person = request.requirePerson()
    const kept = await findKeptForm(request)
    return showSettings(request, reply, person, { profile: restoredForm(request, kept, typedOf(person)) })
  })

  const config = {
    limit: 'posting',
    needsPerson: true,
    formPage: () => '/settings',
    keeps: profileForm.names,
  } as const
  app.post('/settings', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = profileForm.parse(request.body)
    if (!form.ok) return showSettings(request, reply, person, { profile: form }, 422)
    if (await isResetName(app.db, person.id, form.values.display_name)) {
      const refused = refuse(form, 'display_name', 'accounts.name.reset')
      return showSettings(request, reply, person, { profile: refused }, 422)
    }
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
