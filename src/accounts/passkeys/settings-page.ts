import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { SECURITY } from '../../web/paths.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { askingOf } from '../identity/reauthentication.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import { readerTimeZone } from '../settings/reader-time-zone.ts'
import { listPasskeys, MAX_PASSKEYS, type Passkey } from './passkey.ts'

export const PASSKEYS_PATH = '/settings/passkeys' as const

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
  person: Person,
  passkey: Passkey,
  form: FormState = freshForm({ name: passkey.name }),
  status = 200,
) {
  const t = translatorFor(request)
  const page = {
    title: t('passkeys.edit.title'),
    form,
    ...settingsNav(request, SECURITY),
    ...(await askingOf(request, person)),
    passkey: rowOf(passkey, await readerTimeZone(request), t),
  }
  return reply.page<typeof page>('passkeys/edit', page, { status, about: passkey.name })
}

function rowOf({ id, name, addedAt, lastUsedAt }: Passkey, timeZone: string, t: Translate) {
  return {
    name,
    path: `${PASSKEYS_PATH}/${id}`,
    addedAt: writtenMoment(addedAt, timeZone, t),
    lastUsedAt: lastUsedAt === null ? null : writtenMoment(lastUsedAt, timeZone, t),
  }
}
