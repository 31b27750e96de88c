import type { FastifyInstance } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { sessionOf } from '../identity/in-session.ts'
import { findKeptForm, restoredForm } from '../sessions/kept-forms.ts'
import { profileChange } from './operations.ts'
import { showSettings, typedOf } from './settings-page.ts'

export function registerSettings(app: FastifyInstance): void {
  app.get('/settings', async (request, reply) => {
    const person = request.requirePerson()
    const kept = await findKeptForm(request)
    return showSettings(request, reply, person, { profile: restoredForm(request, kept, typedOf(person)) })
  })
  openForm(app, '/settings', profileChange, {
    key: sessionOf,
    formPage: () => '/settings',
    keeps: true,
    done: () => '/settings',
    flash: () => 'accounts.flash.saved',
    refused: (request, reply, profile) =>
      showSettings(request, reply, request.requirePerson(), { profile }, 422),
  })
}
