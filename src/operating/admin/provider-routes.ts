import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Guesses } from '../../accounts/identity/guesses.ts'
import { refuseStranger } from '../../accounts/identity/password-again.ts'
import { keepClientSecret } from '../../accounts/providers/commands.ts'
import { ProviderFailure } from '../../accounts/providers/failure.ts'
import {
  environmentProviderChange,
  PRESETS,
  providerAddition,
  providerChange,
  providerMove,
  providerRemoval,
  providerRoleAddition,
  providerRoleRemoval,
  providerState,
} from '../../accounts/providers/operations.ts'
import { markTested } from '../../accounts/providers/overview.ts'
import type { Provider } from '../../accounts/providers/provider.ts'
import { forbidden, notFound } from '../../operations/problem.ts'
import { may } from '../../rights/rights.ts'
import { type FormState, freshForm, refuse, sentFields, typedFields } from '../../web/form.ts'
import { type FormDoor, openForm } from '../../web/forms/door.ts'
import { choiceParam, idParam } from '../../web/params.ts'
import { PROVIDERS_PATH, showNewProvider, showProvider, showProviders } from './provider-page.ts'

const ONE = `${PROVIDERS_PATH}/:id` as const

/** Providers that people sign in with. Adding and changing one asks for the password again, as it lets people into accounts. */
export function registerProviderAdmin(app: FastifyInstance, guesses: Guesses): void {
  app.get(PROVIDERS_PATH, async (request, reply) => {
    requireAdmin(request)
    return showProviders(request, reply)
  })

  app.get(`${PROVIDERS_PATH}/new`, async (request, reply) => {
    requireAdmin(request)
    return showNewProvider(request, reply, choiceParam(request, 'preset', PRESETS, 'openid'))
  })

  app.get(ONE, async (request, reply) => {
    requireAdmin(request)
    return showProvider(request, reply, await providerIn(request))
  })

  openForm(app, PROVIDERS_PATH, providerAddition, {
    key: () => null,
    formPage: () => PROVIDERS_PATH,
    instead: (request, reply) => askAgain(request, reply, guesses, showNew),
    also: (write, request, { id }) => keepClientSecret(write, app.secretKeys, id, secretIn(request)),
    done: ({ id }) => `${PROVIDERS_PATH}/${id}`,
    flash: () => 'providers.flash.added',
    refused: (request, reply, form) => showNew(request, reply, form, 422),
  })

  const changing = {
    key: byId,
    formPage: () => PROVIDERS_PATH,
    input: withId,
    instead: (request: FastifyRequest, reply: FastifyReply) => askAgain(request, reply, guesses, showOne),
    done: ({ id }: { readonly id: number }) => `${PROVIDERS_PATH}/${id}`,
    flash: () => 'accounts.flash.saved',
    refused: (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
      showOne(request, reply, form, 422),
  } satisfies FormDoor<number, { readonly id: number }>
  openForm(app, ONE, providerChange, {
    ...changing,
    also: (write, request, { id }) => keepClientSecret(write, app.secretKeys, id, secretIn(request)),
  })
  openForm(app, `${ONE}/options`, environmentProviderChange, changing)

  const listed = { key: byId, formPage: () => PROVIDERS_PATH, input: withId, done: () => PROVIDERS_PATH }
  openForm(app, `${ONE}/move`, providerMove, { ...listed, flash: () => 'accounts.flash.saved' })
  openForm(app, `${ONE}/state`, providerState, {
    ...listed,
    done: (_, request) => `${PROVIDERS_PATH}/${idParam(request, 'id')}`,
    flash: (request) =>
      typedFields(request.body).value === 'on' ? 'providers.flash.on' : 'providers.flash.off',
  })
  openForm(app, `${ONE}/removal`, providerRemoval, {
    ...listed,
    flash: () => 'providers.flash.removed',
    refused: async (request, reply, { errors }) => {
      const provider = await providerIn(request)
      return showProvider(request, reply, provider, { ...freshForm(), errors }, 409)
    },
  })

  const ofRoles = { ...listed, done: changing.done, flash: () => 'accounts.flash.saved' }
  openForm(app, `${ONE}/roles`, providerRoleAddition, {
    ...ofRoles,
    refused: async (request, reply, form) => {
      const provider = await providerIn(request)
      return showProvider(request, reply, provider, freshForm(), 422, form)
    },
  })
  openForm(app, `${ONE}/roles/removal`, providerRoleRemoval, ofRoles)

  const config = { limit: 'signIn', needsPerson: true, formPage: () => PROVIDERS_PATH } as const
  app.post(`${ONE}/test`, { config }, async (request, reply) => {
    requireAdmin(request)
    const provider = await providerIn(request)
    const failed = await failureOf(app, provider)
    if (failed !== null)
      return showProvider(request, reply, provider, refuse(freshForm(), 'issuer', failed), 422)
    await markTested(app.db, provider.id)
    return reply.flash('providers.flash.tested').redirect(`${PROVIDERS_PATH}/${provider.id}`, 303)
  })
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'decide-settings')) throw forbidden()
}

/** @throws Problem 404 */
async function providerIn(request: FastifyRequest): Promise<Provider> {
  const id = idParam(request, 'id')
  const provider = (await request.server.providers.all()).find((one) => one.id === id)
  if (provider === undefined) throw notFound()
  return provider
}

type Show = (request: FastifyRequest, reply: FastifyReply, form: FormState, status: number) => Promise<string>

/** The form again where the password is not right; null where it is. @throws Problem 403 */
async function askAgain(request: FastifyRequest, reply: FastifyReply, guesses: Guesses, show: Show) {
  requireAdmin(request)
  return refuseStranger(request, reply, guesses, ({ errors }, status) =>
    show(request, reply, { typed: typedFields(request.body), errors }, status),
  )
}

const showNew: Show = (request, reply, form, status) => {
  const preset = PRESETS.find((one) => one === form.typed.preset) ?? 'openid'
  return showNewProvider(request, reply, preset, form, status)
}

const showOne: Show = async (request, reply, form, status) =>
  showProvider(request, reply, await providerIn(request), form, status)

const byId = (request: FastifyRequest) => idParam(request, 'id')
const withId = (request: FastifyRequest) => ({ ...sentFields(request.body), id: idParam(request, 'id') })

/** Sealed as it was typed: the operation has checked its length. */
function secretIn({ body }: FastifyRequest): string {
  const { client_secret: typed } = sentFields(body)
  return typeof typed === 'string' ? typed.normalize('NFC') : ''
}

/** Why a provider can't be used; null: it answers as it should. */
async function failureOf(app: FastifyInstance, { connection }: Provider): Promise<string | null> {
  if (connection === null) return 'providers.test.down'
  try {
    await app.testProvider(connection)
    return null
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    return error.reason === 'answer' ? 'providers.test.answer' : 'providers.test.down'
  }
}
