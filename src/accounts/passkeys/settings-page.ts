import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { SECURITY, securityPath } from '../../web/paths.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/own-account.ts'
import {
  askingOf,
  refuseFormOfStranger,
  refuseStranger,
  type ShowSecurity,
} from '../identity/reauthentication.ts'
import { relyingPartyOf, requireRelyingParty } from '../identity/relying-party.ts'
import { showCodes } from '../second-factor/pages.ts'
import { deviceName } from '../sessions/session-list.ts'
import { renameForm } from './forms.ts'
import {
  descriptorsOf,
  handleOf,
  listPasskeys,
  MAX_PASSKEYS,
  type Passkey,
  passkeyAddition,
  passkeyRemoval,
  passkeyRenaming,
} from './passkey.ts'
import { attestationOptions, madeIn } from './registration.ts'
import { rememberChallenge } from './webauthn.ts'

/** Renaming one's passkeys and removing them. Each change asks for the password again. */
export function registerPasskeySettings(app: FastifyInstance, guesses: Guesses): void {
  app.get(`${PASSKEYS_PATH}/:passkeyId`, async (request, reply) => {
    const person = request.requirePerson()
    return showPasskey(request, reply, await ownPasskey(request, person))
  })

  const own = {
    key: (request: FastifyRequest) => ({ ...sessionOf(request), passkeyId: idParam(request, 'passkeyId') }),
    formPage: () => securityPath('passkeys'),
    done: () => securityPath('passkeys'),
  }
  openForm(app, `${PASSKEYS_PATH}/:passkeyId`, passkeyRenaming, {
    ...own,
    async instead(request, reply) {
      const show = showTo(request, reply, await ownPasskey(request, request.requirePerson()))
      return refuseFormOfStranger(request, reply, guesses, renameForm, show)
    },
    flash: () => 'passkeys.flash.renamed',
  })
  openForm(app, `${PASSKEYS_PATH}/:passkeyId/delete`, passkeyRemoval, {
    ...own,
    async instead(request, reply) {
      const passkey = await ownPasskey(request, request.requirePerson())
      const show = showTo(request, reply, passkey)
      return refuseStranger(request, reply, guesses, ({ errors }, status) =>
        show({ typed: { name: passkey.name }, errors }, status),
      )
    },
    flash: (_, done) => (done === 'last' ? 'accounts.ways.last' : 'passkeys.flash.removed'),
  })
}

/** @throws Problem 404 for what is not theirs */
async function ownPasskey(request: FastifyRequest, person: Person) {
  const id = idParam(request, 'passkeyId')
  const passkey = (await listPasskeys(request.server.db, person.id)).find((own) => own.id === id)
  if (passkey === undefined) throw notFound()
  return passkey
}

function showTo(request: FastifyRequest, reply: FastifyReply, passkey: Passkey) {
  return (form: FormState, status: number) => showPasskey(request, reply, passkey, form, status)
}

/**
 * Adding a passkey, in two steps: the password, which earns a challenge; then, within five minutes, what the authenticator made
 * of it. Without a challenge that was earned nothing is added.
 */
export function registerPasskeyAdding(
  app: FastifyInstance,
  guesses: Guesses,
  showSecurity: ShowSecurity,
): void {
  const formPage = () => securityPath('passkeys')
  const config = { limit: 'signIn', needsPerson: true, formPage } as const

  app.get(`${PASSKEYS_PATH}/new`, async (request, reply) => {
    request.requirePerson()
    return reply.redirect(formPage(), 303)
  })

  app.post(`${PASSKEYS_PATH}/new`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    requireRelyingParty(request)
    const show = (form: FormState, status: number) =>
      showSecurity(request, reply, { passkeyForm: form, status })
    const refused = await refuseStranger(request, reply, guesses, show)
    if (refused !== null) return refused
    const name = deviceName(request.headers['user-agent'] ?? '', translatorFor(request))
    return showNew(request, reply, person, freshForm({ name: name.slice(0, 50) }))
  })

  openForm(app, PASSKEYS_PATH, passkeyAddition, {
    key: sessionOf,
    formPage,
    input: madeIn,
    done: formPage,
    flash: () => 'passkeys.flash.added',
    shown: (request, reply, codes) => (codes === null ? null : showCodes(request, reply, codes, formPage())),
    // A person who only mistyped the name gets another challenge for the one they answered.
    refused: (request, reply, { typed, errors }) =>
      errors.some(({ field }) => field === 'adding')
        ? showSecurity(request, reply, { passkeyForm: { typed: {}, errors }, status: 422 })
        : showNew(request, reply, request.requirePerson(), { typed, errors }, 422),
  })
}

export async function showNew(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  { typed, errors }: FormState,
  status = 200,
) {
  const { db } = request.server
  const [handle, known] = [await handleOf(db, person.id), await descriptorsOf(db, person.id)]
  const options = await attestationOptions(requireRelyingParty(request), person, handle, known)
  rememberChallenge(request, reply, { act: 'adding', personId: person.id }, options.challenge)
  const page = {
    ...settingsNav(contextOf(request), SECURITY),
    title: translatorFor(request)('passkeys.new.title'),
    form: { typed: { name: typed.name ?? '' }, errors },
    // For public/js/passkeys.js.
    options: JSON.stringify(options),
  }
  return reply.page('passkeys/new', page, { status, script: 'passkeys' })
}

const PASSKEYS_PATH = '/settings/passkeys' as const

/** A person's passkeys, and whether there can be another one: views/passkeys/_passkeys.eta. */
export async function ownPasskeys(request: FastifyRequest, { id }: Person, timeZone: string) {
  const t = translatorFor(request)
  const passkeys = await listPasskeys(request.server.db, id)
  return {
    passkeys: passkeys.map((passkey) => rowOf(passkey, timeZone, t)),
    takesPasskeys: relyingPartyOf(request.server.config.baseUrl) !== null,
    mayAdd: passkeys.length < MAX_PASSKEYS,
  }
}

/** One of them, to be renamed or removed. */
export async function showPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  passkey: Passkey,
  form: FormState = freshForm({ name: passkey.name }),
  status = 200,
) {
  const t = translatorFor(request)
  const page = {
    title: t('passkeys.edit.title'),
    form,
    ...settingsNav(contextOf(request), SECURITY),
    ...(await askingOf(contextOf(request))),
    passkey: rowOf(passkey, await request.server.timeZoneFor(request), t),
  }
  return reply.page('passkeys/edit', page, { status, about: passkey.name })
}

function rowOf({ id, name, addedAt, lastUsedAt }: Passkey, timeZone: string, t: Translate) {
  return {
    name,
    path: `${PASSKEYS_PATH}/${id}`,
    addedAt: writtenMoment(addedAt, timeZone, t),
    lastUsedAt: lastUsedAt === null ? null : writtenMoment(lastUsedAt, timeZone, t),
  }
}
