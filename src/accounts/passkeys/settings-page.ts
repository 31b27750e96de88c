import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { translatorFor } from '../../web/appearance.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import type { PageContext } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { SECURITY, securityPath } from '../../web/paths.ts'
import { settingsPage } from '../../web/settings-nav.ts'
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
export function registerPasskeySettings(app: FastifyInstance): void {
  app.get(`${PASSKEYS_PATH}/:passkeyId`, async (request, reply) =>
    showPasskey(request, reply, await ownPasskey(request)),
  )

  const own = {
    key: (request: FastifyRequest) => ({ ...sessionOf(request), passkeyId: idParam(request, 'passkeyId') }),
    formPage: () => securityPath('passkeys'),
    done: () => securityPath('passkeys'),
  }
  openForm(app, `${PASSKEYS_PATH}/:passkeyId`, passkeyRenaming, {
    ...own,
    async instead(request, reply) {
      const passkey = await ownPasskey(request)
      return refuseFormOfStranger(request, reply, renameForm, (_, reply, form) =>
        showPasskey(request, reply, passkey, form),
      )
    },
    flash: () => 'passkeys.flash.renamed',
  })
  openForm(app, `${PASSKEYS_PATH}/:passkeyId/delete`, passkeyRemoval, {
    ...own,
    async instead(request, reply) {
      const passkey = await ownPasskey(request)
      return refuseStranger(request, reply, (_, reply, { errors }) =>
        showPasskey(request, reply, passkey, { ...formOf(passkey), errors }),
      )
    },
    flash: (_, done) => (done === 'last' ? 'accounts.ways.last' : 'passkeys.flash.removed'),
  })
}

/** @throws Problem 404 for what is not theirs */
async function ownPasskey(request: FastifyRequest): Promise<Passkey> {
  const { id: personId } = request.requirePerson()
  const id = idParam(request, 'passkeyId')
  const passkey = (await listPasskeys(request.server.db, personId)).find((own) => own.id === id)
  if (passkey === undefined) throw notFound()
  return passkey
}

const formOf = ({ name }: Passkey) => freshForm({ name })

/** Adding a passkey: the password earns a challenge; within five minutes the authenticator answers it. */
export function registerPasskeyAdding(app: FastifyInstance, showSecurity: ShowSecurity): void {
  const formPage = () => securityPath('passkeys')
  const config = { limit: 'signIn', needsPerson: true, formPage } as const
  const refuseAdding = (request: FastifyRequest, reply: FastifyReply, passkeyForm: FormState) =>
    showSecurity(request, reply, freshForm(), passkeyForm)

  app.get(`${PASSKEYS_PATH}/new`, async (request, reply) => {
    request.requirePerson()
    return reply.redirect(formPage(), 303)
  })

  app.post(`${PASSKEYS_PATH}/new`, { config }, async (request, reply) => {
    request.requirePerson()
    requireRelyingParty(request)
    const refused = await refuseStranger(request, reply, refuseAdding)
    if (refused !== null) return refused
    const name = deviceName(request.headers['user-agent'] ?? '', translatorFor(request))
    return challenge(request, reply, freshForm({ name: name.slice(0, 50) }))
  })

  openForm(app, PASSKEYS_PATH, passkeyAddition, {
    key: sessionOf,
    formPage,
    input: madeIn,
    done: formPage,
    flash: () => 'passkeys.flash.added',
    shown: (request, reply, codes) => (codes === null ? null : showCodes(request, reply, codes, formPage())),
    // A person who only mistyped the name gets another challenge for the one they answered.
    refused: (request, reply, form) =>
      form.errors.some(({ field }) => field === 'adding')
        ? refuseAdding(request, reply, form)
        : challenge(request, reply, form),
  })
}

async function challenge(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  const { db } = request.server
  const person = request.requirePerson()
  const [handle, known] = [await handleOf(db, person.id), await descriptorsOf(db, person.id)]
  const options = await attestationOptions(requireRelyingParty(request), person, handle, known)
  rememberChallenge(request, reply, { act: 'adding', personId: person.id }, options.challenge)
  return showNew(request, reply, form, options)
}

export const showNew = settingsPage(
  'passkeys/new',
  SECURITY,
  { script: 'passkeys' },
  ({ t, formFields }, form: FormState, options: object) => ({
    title: t('passkeys.new.title'),
    form,
    fields: formFields('passkey', renameForm.fields, form),
    options: JSON.stringify(options),
  }),
)

const PASSKEYS_PATH = '/settings/passkeys' as const

/** A person's passkeys, and whether there can be another one: views/passkeys/_passkeys.eta. */
export async function ownPasskeys({ t, db, config, person }: PageContext, timeZone: string) {
  const passkeys = await listPasskeys(db, person().id)
  return {
    passkeys: passkeys.map((passkey) => rowOf(passkey, timeZone, t)),
    takesPasskeys: relyingPartyOf(config.baseUrl) !== null,
    mayAdd: passkeys.length < MAX_PASSKEYS,
  }
}

/** One of them, to be renamed or removed. */
export const showPasskey = settingsPage(
  'passkeys/edit',
  SECURITY,
  {},
  async (context, passkey: Passkey, form: FormState = formOf(passkey)) => ({
    title: context.t('passkeys.edit.title'),
    form,
    fields: context.formFields('passkey', renameForm.fields, form, { name: { hint: null } }),
    ...(await askingOf(context)),
    passkey: rowOf(passkey, await context.timeZone(), context.t),
    head: { about: passkey.name },
  }),
)

function rowOf({ id, name, addedAt, lastUsedAt }: Passkey, timeZone: string, t: Translate) {
  return {
    name,
    path: `${PASSKEYS_PATH}/${id}`,
    addedAt: writtenMoment(addedAt, timeZone, t),
    lastUsedAt: lastUsedAt === null ? null : writtenMoment(lastUsedAt, timeZone, t),
  }
}
