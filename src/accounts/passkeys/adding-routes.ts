import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import type { Person } from '../../rights/person.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { refuseStranger } from '../identity/password-again.ts'
import { type RelyingParty, requireRelyingParty } from '../identity/relying-party.ts'
import { showCodes } from '../second-factor/recovery-codes-page.ts'
import { deviceName } from '../sessions/device.ts'
import { attestationOptions, checkAttestation } from './attestation.ts'
import { rememberChallenge, takeChallenge } from './challenges.ts'
import { addPasskey, handleOf, type NewCredential } from './commands.ts'
import { addForm } from './forms.ts'
import { descriptorsOf } from './queries.ts'
import { PASSKEYS_PATH, showPasskeys } from './settings-page.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'passkeys/new': NewPasskeyPage
  }
}

export interface NewPasskeyPage extends InSettings {
  readonly form: FormState
  /** What the browser needs to make one, as JSON, for public/js/passkeys.js. */
  readonly options: string
}

/**
 * Adding a passkey, in two steps: the password, which earns a challenge; then, within five minutes, what the authenticator made
 * of it. Without a challenge that was earned nothing is added.
 */
export function registerPasskeyAdding(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn', needsPerson: true, formPage: () => PASSKEYS_PATH } as const

  app.get(`${PASSKEYS_PATH}/new`, async (request, reply) => {
    request.requirePerson()
    return reply.redirect(PASSKEYS_PATH, 303)
  })

  app.post(`${PASSKEYS_PATH}/new`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const party = requireRelyingParty(request)
    const show = (form: FormState, status: number) => showPasskeys(request, reply, person, form, status)
    const refused = await refuseStranger(request, reply, guesses, show)
    if (refused !== null) return refused
    const name = deviceName(request.headers['user-agent'] ?? '', translatorOf(languageOfRequest(request)))
    return showNew(request, reply, person, party, freshForm({ name: name.slice(0, 50) }))
  })

  app.post(PASSKEYS_PATH, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const party = requireRelyingParty(request)
    const form = addForm.parse(request.body)
    const challenge = await takeChallenge(request, reply, { act: 'adding', personId: person.id })
    if (challenge === null) return refuseAdding(request, reply, person, 'passkeys.late')
    if (!form.ok) {
      // A person who only mistyped the name gets another challenge for the one they answered.
      return form.errors.some(({ field }) => field === '_passkey')
        ? refuseAdding(request, reply, person, 'passkeys.refused')
        : showNew(request, reply, person, party, form, 422)
    }
    const made = await checkAttestation(party, form.values._passkey, challenge)
    if (made.ok) return add(request, reply, person, form.values.name, made.value)
    noteEvent(request, 'passkey-refused', { reason: made.reason })
    return refuseAdding(request, reply, person, 'passkeys.refused')
  })
}

async function add(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  name: string,
  credential: NewCredential,
) {
  const { db } = request.server
  const where = circumstancesOf(request)
  const added = await addPasskey(db, sessionOf(request), name, credential, where)
  if (!added.done) return refuseAdding(request, reply, person, `passkeys.${added.why}`)
  noteEvent(request, 'passkey-added', {})
  return added.recoveryCodes === null
    ? reply.flash('passkeys.flash.added').redirect(PASSKEYS_PATH, 303)
    : showCodes(request, reply, added.recoveryCodes, PASSKEYS_PATH)
}

function refuseAdding(request: FastifyRequest, reply: FastifyReply, person: Person, key: string) {
  return showPasskeys(request, reply, person, refuse(freshForm(), 'adding', key), 422)
}

async function showNew(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  party: RelyingParty,
  { typed, errors }: FormState,
  status = 200,
) {
  const { db } = request.server
  const account = person.email ?? person.displayName
  const holder = { handle: await handleOf(db, person.id), account, displayName: person.displayName }
  const options = await attestationOptions(party, holder, await descriptorsOf(db, person.id))
  rememberChallenge(request, reply, { act: 'adding', personId: person.id }, options.challenge)
  return reply.page(
    'passkeys/new',
    {
      ...settingsNav(request, PASSKEYS_PATH),
      title: translatorOf(languageOfRequest(request))('passkeys.new.title'),
      form: { typed: { name: typed.name ?? '' }, errors },
      options: JSON.stringify(options),
    },
    { status, script: 'passkeys' },
  )
}
