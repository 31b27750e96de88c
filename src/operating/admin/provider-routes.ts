import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { proofForPassword } from '../../accounts/identity/queries.ts'
import { refuseStranger } from '../../accounts/identity/reauthentication.ts'
import { keepClientSecret } from '../../accounts/providers/commands.ts'
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
  providerTest,
  tested,
} from '../../accounts/providers/operations.ts'
import type { Provider } from '../../accounts/providers/provider.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { type FormState, freshForm, sentFields, typedFields } from '../../web/form.ts'
import { type FormDoor, openForm } from '../../web/forms/door.ts'
import { choiceParam, idParam } from '../../web/params.ts'
import {
  type ButtonKey,
  LABELS,
  PROVIDERS_PATH,
  showConfirmation,
  showForm,
  showProviders,
} from './provider-page.ts'

const ONE = `${PROVIDERS_PATH}/:id` as const

/** Providers that people sign in with. Whatever changes one asks for the password again, as it lets people into accounts. */
export function registerProviderAdmin(app: FastifyInstance): void {
  app.get(PROVIDERS_PATH, (request, reply) => showProviders(request, reply))
  app.get(`${PROVIDERS_PATH}/new`, (request, reply) => {
    const preset = choiceParam(request, 'preset', PRESETS, 'openid')
    return showForm(request, reply, preset, freshForm({ creates: '1', label: LABELS[preset] }))
  })
  app.get(ONE, (request, reply) => showOne(request, reply))

  openForm(app, PROVIDERS_PATH, providerAddition, {
    key: () => null,
    formPage: () => PROVIDERS_PATH,
    instead: (request, reply) => askAgain(request, reply, showNew),
    also: (write, request, { id }) => keepClientSecret(write, app.secretKeys, id, secretIn(request)),
    done: ({ id }) => `${PROVIDERS_PATH}/${id}`,
    flash: () => 'providers.flash.added',
    refused: showNew,
  })

  const changing = {
    key: byId,
    formPage: () => PROVIDERS_PATH,
    input: withId,
    instead: (request: FastifyRequest, reply: FastifyReply) => askAgain(request, reply, showOne),
    done: ({ id }: { readonly id: number }) => `${PROVIDERS_PATH}/${id}`,
    flash: () => 'accounts.flash.saved',
    refused: showOne,
  } satisfies FormDoor<number, { readonly id: number }>
  openForm(app, ONE, providerChange, {
    ...changing,
    also: (write, request, { id }) => keepClientSecret(write, app.secretKeys, id, secretIn(request)),
  })
  openForm(app, `${ONE}/options`, environmentProviderChange, changing)

  const confirmed = (button: (request: FastifyRequest) => ButtonKey) => ({
    key: byId,
    formPage: () => PROVIDERS_PATH,
    input: withId,
    instead: (request: FastifyRequest, reply: FastifyReply) => confirm(request, reply, button(request)),
    done: (_: unknown, request: FastifyRequest) => `${PROVIDERS_PATH}/${idParam(request, 'id')}`,
  })
  openForm(app, `${ONE}/move`, providerMove, {
    ...confirmed((request) =>
      typedValue(request, 'direction') === 'up' ? 'providers.up' : 'providers.down',
    ),
    done: () => PROVIDERS_PATH,
    flash: () => 'accounts.flash.saved',
  })
  openForm(app, `${ONE}/state`, providerState, {
    ...confirmed((request) =>
      typedValue(request, 'value') === 'on' ? 'providers.state.turnOn' : 'providers.state.turnOff',
    ),
    flash: (request) =>
      typedValue(request, 'value') === 'on' ? 'providers.flash.on' : 'providers.flash.off',
  })
  openForm(app, `${ONE}/removal`, providerRemoval, {
    ...confirmed(() => 'providers.remove.button'),
    done: () => PROVIDERS_PATH,
    flash: () => 'providers.flash.removed',
    refused: (request, reply, { errors }) => showOne(request, reply.code(409), { typed: {}, errors }),
  })
  openForm(app, `${ONE}/roles`, providerRoleAddition, {
    ...confirmed(() => 'providers.role.add'),
    flash: () => 'accounts.flash.saved',
    refused: (request, reply, form) => showOne(request, reply, freshForm(), form),
  })
  openForm(app, `${ONE}/roles/removal`, providerRoleRemoval, {
    ...confirmed(() => 'providers.remove.button'),
    flash: () => 'accounts.flash.saved',
  })
  openForm(app, `${ONE}/test`, providerTest, {
    ...confirmed(() => 'providers.test.button'),
    input: async (request) => ({
      id: idParam(request, 'id'),
      ...(await tested((await providerIn(request)).connection, app.testProvider)),
    }),
    flash: () => 'providers.flash.tested',
    refused: (request, reply, { errors }) => showOne(request, reply, { typed: {}, errors }),
  })
}

/** @throws Problem 403 for everybody but admins, 404 */
async function providerIn(request: FastifyRequest): Promise<Provider> {
  requireRight(request.person, 'decide-settings', null)
  const id = idParam(request, 'id')
  const provider = (await request.server.providers.all()).find((one) => one.id === id)
  if (provider === undefined) throw notFound()
  return provider
}

/** The form again where the password is not right; null where it is. @throws Problem 403 */
async function askAgain(request: FastifyRequest, reply: FastifyReply, show: typeof showNew) {
  requireRight(request.person, 'decide-settings', null)
  return refuseStranger(request, reply, (_, reply, { errors }) =>
    show(request, reply, { typed: typedFields(request.body), errors }),
  )
}

/** The question for the password, where a press of a button was all that came; null where it is answered. @throws Problem 403, 404 */
async function confirm(request: FastifyRequest, reply: FastifyReply, button: ButtonKey) {
  const provider = await providerIn(request)
  const typed = typedFields(request.body)
  const show = (_: FastifyRequest, reply: FastifyReply, { errors }: FormState) =>
    showConfirmation(request, reply, request.url, provider, button, { typed, errors })
  const isAsked = 'current_password' in sentFields(request.body)
  const proof = await proofForPassword(request.server.db, request.requirePerson().id, request.sessionToken)
  return proof.by === 'password' && !isAsked
    ? show(request, reply.code(422), freshForm())
    : refuseStranger(request, reply, show)
}

async function showNew(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  return showForm(request, reply, PRESETS.find((one) => one === form.typed.preset) ?? 'openid', form)
}

async function showOne(request: FastifyRequest, reply: FastifyReply, form?: FormState, roleForm?: FormState) {
  return showForm(request, reply, await providerIn(request), form, roleForm)
}

const byId = (request: FastifyRequest) => idParam(request, 'id')
const withId = (request: FastifyRequest) => ({ ...sentFields(request.body), id: idParam(request, 'id') })

/** Sealed as it was typed: the operation has checked its length. */
function secretIn({ body }: FastifyRequest): string {
  const { client_secret: typed } = sentFields(body)
  return typeof typed === 'string' ? typed.normalize('NFC') : ''
}

const typedValue = (request: FastifyRequest, name: string) => typedFields(request.body)[name]
