import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { keepAppearance, readAppearance } from '../../web/appearance.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import { appearancePath, localPath } from '../../web/paths.ts'
import { appearanceForm, SYSTEM } from '../identity/forms.ts'
import { languageOptions, type Option, themeOptions } from './setting-options.ts'

interface AppearancePage {
  readonly form: FormState
  /** Where the choice leads back to: a path of ours. */
  readonly next: string
  readonly languages: readonly Option[]
  readonly themes: readonly Option[]
  /** Of the footer's link: this page, not this page leading to this page. */
  readonly appearancePath: string
}

/** `/appearance`: visitors choose language and theme for their browser: no operation, as only a cookie changes. Who is signed in has both in the settings. */
export function registerAppearance(app: FastifyInstance): void {
  const isSecure = app.config.baseUrl.startsWith('https:')
  app.get('/appearance', async (request, reply) => {
    if (request.person !== null) return reply.redirect('/settings#appearance', 303)
    const { language, theme } = readAppearance(request.headers.cookie)
    const next = localPath(queryParam(request, 'next'))
    return show(request, reply, freshForm({ language: language ?? SYSTEM, theme, next }))
  })

  app.post('/appearance', { config: { limit: 'voting' } }, async (request, reply) => {
    const form = appearanceForm.parse(request.body)
    if (!form.ok) return show(request, reply, form, 422)
    const { language, theme, next } = form.values
    keepAppearance(reply, { language: language === SYSTEM ? null : language, theme }, isSecure)
    return reply.flash('accounts.flash.appearance').redirect(localPath(next), 303)
  })
}

function show(request: FastifyRequest, reply: FastifyReply, form: FormState, status = 200) {
  const t = translatorFor(request)
  const { language = SYSTEM, theme = SYSTEM, next } = form.typed
  return reply.page<AppearancePage>(
    'accounts/appearance',
    {
      title: t('layout.appearance'),
      form,
      next: localPath(next),
      appearancePath: appearancePath(localPath(next)),
      languages: languageOptions(t, language),
      themes: themeOptions(t, theme),
    },
    { status, robots: 'noindex' },
  )
}
