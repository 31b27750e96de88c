import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { SECURITY } from '../../web/paths.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { type Asking, askingOf } from '../identity/reauthentication.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import { readerTimeZone } from '../settings/reader-time-zone.ts'
import { listPasskeys, MAX_PASSKEYS, type Passkey } from './passkey.ts'

/** views/passkeys/_passkeys.eta */
export interface OwnPasskeys {
  readonly passkeys: readonly PasskeyRow[]
  /** Whether this forum can have passkeys, and this person one more. */
  readonly takesPasskeys: boolean
  readonly mayAdd: boolean
}

interface PasskeyPage extends Asking, InSettings {
  readonly form: FormState
  readonly passkey: PasskeyRow
}

interface PasskeyRow {
  readonly name: string
  readonly path: string
  readonly addedAt: Moment
  readonly lastUsedAt: Moment | null
}

export const PASSKEYS_PATH = '/settings/passkeys' as const

/** A person's passkeys, and whether there can be another one. */
export async function ownPasskeys(
  request: FastifyRequest,
  { id }: Person,
  timeZone: string,
): Promise<OwnPasskeys> {
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
  person: Person,
  passkey: Passkey,
  form: FormState = freshForm({ name: passkey.name }),
  status = 200,
) {
  return reply.page<PasskeyPage>(
    'passkeys/edit',
    {
      title: translatorFor(request)('passkeys.edit.title'),
      form,
      ...settingsNav(request, SECURITY),
      ...(await askingOf(request, person)),
      passkey: rowOf(passkey, await readerTimeZone(request), translatorFor(request)),
    },
    { status, about: passkey.name },
  )
}

function rowOf({ id, name, addedAt, lastUsedAt }: Passkey, timeZone: string, t: Translate): PasskeyRow {
  return {
    name,
    path: `${PASSKEYS_PATH}/${id}`,
    addedAt: writtenMoment(addedAt, timeZone, t),
    lastUsedAt: lastUsedAt === null ? null : writtenMoment(lastUsedAt, timeZone, t),
  }
}
