import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../accounts/person.ts'
import { type Proof, proofForPassword } from '../accounts/queries.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { formatMoment } from '../text/dates.ts'
import { type FormState, freshForm } from '../web/form.ts'
import { languageOfRequest } from '../web/language.ts'
import { MOST_PASSKEYS } from './commands.ts'
import { listPasskeys, type Passkey } from './queries.ts'
import { relyingPartyOf } from './relying-party.ts'

declare module '../web/views.ts' {
  interface Pages {
    'passkeys/index': PasskeyIndex
    'passkeys/edit': PasskeyPage
  }
}

/** What the forms after a password need. */
interface Asking {
  readonly form: FormState
  /** What the owner signs in with. */
  readonly account: string
  /** What a change asks for: accounts/queries.ts. */
  readonly proof: Proof['by']
}

export interface PasskeyIndex extends Asking {
  readonly passkeys: readonly PasskeyRow[]
  /** Whether this forum can have passkeys, and this person one more. */
  readonly takesPasskeys: boolean
  readonly mayAdd: boolean
}

export interface PasskeyPage extends Asking {
  readonly passkey: PasskeyRow
}

interface PasskeyRow {
  readonly name: string
  readonly path: string
  readonly addedAt: Moment
  readonly lastUsedAt: Moment | null
}

interface Moment {
  readonly iso: string
  readonly text: string
}

export const PASSKEYS_PATH = '/settings/passkeys'

/** A person's passkeys, and the way to another one. */
export async function showPasskeys(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  form: FormState = freshForm(),
  status = 200,
) {
  const passkeys = await listPasskeys(request.server.db, person.id)
  return reply.page(
    'passkeys/index',
    {
      title: translatorOf(languageOfRequest(request))('passkeys.title'),
      ...(await askingOf(request, person, form)),
      passkeys: passkeys.map((passkey) => rowOf(request, passkey)),
      takesPasskeys: relyingPartyOf(request.server.config.baseUrl) !== null,
      mayAdd: passkeys.length < MOST_PASSKEYS,
    },
    { status },
  )
}

/** One of them, to be renamed or removed. */
export async function showPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  passkey: Passkey,
  form: FormState = freshForm({ name: passkey.name }),
  status = 200,
) {
  return reply.page(
    'passkeys/edit',
    {
      title: translatorOf(languageOfRequest(request))('passkeys.edit.title'),
      ...(await askingOf(request, person, form)),
      passkey: rowOf(request, passkey),
    },
    { status },
  )
}

async function askingOf(request: FastifyRequest, person: Person, form: FormState): Promise<Asking> {
  const proof = await proofForPassword(request.server.db, person.id, request.sessionToken)
  return { form, account: person.email ?? person.displayName, proof: proof.by }
}

function rowOf(request: FastifyRequest, { id, name, addedAt, lastUsedAt }: Passkey): PasskeyRow {
  const timeZone = request.person?.timeZone ?? request.server.config.timeZone
  const moment = (at: Date) => ({ iso: at.toISOString(), text: formatMoment(at, timeZone) })
  return {
    name,
    path: `${PASSKEYS_PATH}/${id}`,
    addedAt: moment(addedAt),
    lastUsedAt: lastUsedAt === null ? null : moment(lastUsedAt),
  }
}
