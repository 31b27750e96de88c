import { sql } from 'kysely'
import { z } from 'zod'
import type { Preset, Write } from '../../database/schema.ts'
import { choice, flag, line, optional, plain, secret } from '../../kernel/fields.ts'
import { type Find, forum, operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import {
  deleteProvider,
  freeName,
  insertRole,
  markTested,
  moveProvider,
  setProviderOn,
  strandedBy,
  updateProvider,
} from './commands.ts'
import { ProviderFailure } from './failure.ts'
import type { Connection } from './provider.ts'

export const PRESETS = [
  'google',
  'entra',
  'keycloak',
  'github',
  'openid',
] as const satisfies readonly Preset[]
export type AddedPreset = (typeof PRESETS)[number]

const label = line({ min: 1, max: 40, short: 'providers.label.short' })
const clientId = line({ min: 1, max: 500, short: 'providers.clientId.short' })
const options = {
  domains: plain,
  creates: flag,
  trusts: flag,
  factor: flag,
  required: flag,
  claim: optional(line({ min: 1, max: 200 })),
  scopes: plain,
}
const connection = {
  label,
  issuer: plain,
  client_id: clientId,
  // Sealed by the form's door, which has the keys.
  client_secret: secret({ min: 0, max: 500 }, 'new-password'),
}

/** Locks a provider, by its id. Whether it is there is told to those who may know: `run` asks. */
const anyProvider: Find<number, null> = async (write, id) => {
  await write.selectFrom('identity_providers').select('id').where('id', '=', id).forUpdate().execute()
  return null
}

const onProviders = { right: 'decide-settings', find: anyProvider, limit: 'signIn' } as const

/** Adds a provider that people sign in with as the last, turned off until it was tried. */
export const providerAddition = operation({
  name: 'add-provider',
  right: 'decide-settings',
  find: forum,
  limit: 'signIn',
  input: { preset: choice(PRESETS), ...connection, ...options },
  events: ['provider-changed'],
  async run({ write, input, note }) {
    const { preset } = input
    const name = await freeName(write, preset)
    const position = sql<number>`(select coalesce(max(position), 0) + 1 from identity_providers)`
    const added = await write
      .insertInto('identity_providers')
      .values({ name, preset, ...editedBy(preset, input), is_on: false, position })
      .returning('id')
      .executeTakeFirstOrThrow()
    note('provider-changed', { provider: name, what: 'added' })
    return added
  },
})

/** Changes one that an admin added. A secret goes to the issuer that it was given for, and to no other. */
export const providerChange = operation({
  ...onProviders,
  name: 'change-provider',
  input: { id: plain, ...connection, ...options },
  events: ['provider-changed'],
  async run({ write, input, note }) {
    const before = await settingsOf(write, Number(input.id))
    if (before.preset === 'environment') throw notFound()
    const edited = editedBy(before.preset, input)
    if (edited.issuer !== before.issuer && before.hasSecret && input.client_secret === '')
      throw refusal('client_secret', 'providers.secret.again')
    await updateProvider(write, before.id, edited)
    const isSame = edited.issuer === before.issuer && edited.client_id === before.client_id
    // What a test said of a connection counts for that one only.
    if (!isSame || input.client_secret !== '') await updateProvider(write, before.id, { tested_at: null })
    note('provider-changed', { provider: before.name, what: 'changed' })
    return { id: before.id }
  },
})

/** Changes what is done with those whom the provider of the environment names. */
export const environmentProviderChange = operation({
  ...onProviders,
  name: 'change-environment-provider',
  input: { id: plain, ...options },
  events: ['provider-changed'],
  async run({ write, input, note }) {
    const before = await settingsOf(write, Number(input.id))
    await updateProvider(write, before.id, optionsOf(input))
    note('provider-changed', { provider: before.name, what: 'changed' })
    return { id: before.id }
  },
})

/** A connection that answered as it should, which no form sends. */
class Answered {
  readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }
}

/** Asks a provider whether it is there: that takes as long as it likes, so doors do it before the operation. @throws Refused */
export async function tested(connection: Connection | null, test: (connection: Connection) => Promise<void>) {
  if (connection === null) throw refusal('issuer', 'providers.test.down')
  try {
    await test(connection)
    return { answered: new Answered(connection) }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    if (error.causedBy !== null)
      throw refusal('issuer', `providers.cause.${error.causedBy}`, { status: error.status })
    throw refusal('issuer', error.reason === 'answer' ? 'providers.test.answer' : 'providers.test.down')
  }
}

export const providerTest = operation({
  ...onProviders,
  name: 'test-provider',
  input: { id: plain, answered: z.instanceof(Answered) },
  async run({ write, input }) {
    const { id } = await settingsOf(write, Number(input.id))
    await markTested(write, id, input.answered.connection)
    return { id }
  },
})

export const providerMove = operation({
  ...onProviders,
  name: 'move-provider',
  input: { id: plain, direction: choice(['up', 'down']) },
  async run({ write, input }) {
    const { id } = await settingsOf(write, Number(input.id))
    await moveProvider(write, id, input.direction)
  },
})

/** Turns a provider on or off; the sessions that began with it end when it is turned off. */
export const providerState = operation({
  ...onProviders,
  name: 'turn-provider',
  input: { id: plain, value: choice(['on', 'off']) },
  events: ['provider-changed'],
  async run({ write, input, note }) {
    const { id, name } = await settingsOf(write, Number(input.id))
    await setProviderOn(write, id, input.value === 'on')
    note('provider-changed', { provider: name, what: input.value === 'on' ? 'on' : 'off' })
  },
})

/** Removes a provider with its linked accounts, unless somebody could not sign in any more. */
export const providerRemoval = operation({
  ...onProviders,
  name: 'remove-provider',
  input: { id: plain },
  events: ['provider-changed'],
  async run({ write, input, note }) {
    const { id, name, preset } = await settingsOf(write, Number(input.id))
    if (preset === 'environment') throw notFound()
    const stranded = await strandedBy(write, id)
    if (stranded > 0) throw refusal('removal', 'providers.remove.stranded', { count: stranded })
    await deleteProvider(write, id)
    note('provider-changed', { provider: name, what: 'removed' })
  },
})

export const providerRoleAddition = operation({
  ...onProviders,
  name: 'add-provider-role',
  input: {
    id: plain,
    value: line({ min: 1, max: 200, short: 'providers.role.short' }),
    course: plain,
    role: choice(['learner', 'assistant', 'instructor']),
  },
  events: ['provider-changed'],
  async run({ write, input, note }) {
    const { id, name } = await settingsOf(write, Number(input.id))
    const given = { providerId: id, value: input.value, slug: input.course, role: input.role }
    if (!(await insertRole(write, given))) throw refusal('course', 'providers.role.course')
    note('provider-changed', { provider: name, what: 'roles' })
    return { id }
  },
})

/** A value gives that role no more: who has it loses it when they sign in the next time. */
export const providerRoleRemoval = operation({
  ...onProviders,
  name: 'remove-provider-role',
  input: { id: plain, given: plain },
  events: ['provider-changed'],
  async run({ write, input, note }) {
    const { id, name } = await settingsOf(write, Number(input.id))
    await write
      .deleteFrom('provider_roles')
      .where('provider_id', '=', id)
      .where('id', '=', Number(input.given) || 0)
      .execute()
    note('provider-changed', { provider: name, what: 'roles' })
    return { id }
  },
})

type Connecting = z.output<z.ZodObject<Pick<typeof connection, 'label' | 'issuer' | 'client_id'>>>
type Choosing = z.output<z.ZodObject<typeof options>>

/** @throws Refused */
function editedBy(preset: Preset, input: Connecting & Choosing) {
  return {
    label: input.label,
    issuer: issuerOf(preset, input.issuer),
    client_id: input.client_id,
    ...optionsOf(input),
  }
}

/** @throws Refused */
function optionsOf({ domains, creates, trusts, factor, required, claim, scopes }: Choosing) {
  const allowed = domainsIn(domains, 'domains')
  if (trusts && allowed.length === 0) throw refusal('domains', 'providers.domains.needed')
  return {
    allowed_domains: allowed,
    creates_accounts: creates,
    trusts_addresses: trusts,
    accepts_factor: factor,
    is_required: required,
    role_claim: claim,
    scopes: scopesIn(scopes),
  }
}

/** @throws Problem 404 */
async function settingsOf(write: Write, id: number) {
  const row = await write
    .selectFrom('identity_providers')
    .select(['id', 'name', 'preset', 'issuer', 'client_id', 'client_secret'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  const { client_secret: sealed, ...provider } = row
  return { ...provider, hasSecret: sealed !== null }
}

/** One label of a domain after another; a dot between at least two. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
const MAX_DOMAINS = 100
const MAX_SCOPES = 20

/** Domains with commas or blanks between. @param field that has them @throws Refused */
export function domainsIn(text: string, field: string): string[] {
  const names = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter((name) => name !== '')
  if (names.length > MAX_DOMAINS || !names.every((name) => name.length <= 253 && DOMAIN.test(name)))
    throw refusal(field, 'providers.domains.wrong')
  return [...new Set(names)]
}

/** Scopes with blanks or commas between, in the characters that RFC 6749, section 3.3, has for them. @throws Refused */
function scopesIn(text: string): string[] {
  const scopes = [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ''))]
  if (scopes.length > MAX_SCOPES || !scopes.every((scope) => /^[!#-[\]-~]{1,200}$/.test(scope)))
    throw refusal('scopes', 'providers.scopes.wrong', { max: MAX_SCOPES })
  return scopes
}

const GOOGLE = 'https://accounts.google.com'
/** Tenants of Entra that are many: whoever has a Microsoft account would be in. */
const ANY_TENANT = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/

/** The issuer of a provider that an admin adds: https, as only the environment names one on this machine. null: GitHub has none. @throws Refused */
function issuerOf(preset: Preset, typed: string): string | null {
  if (preset === 'github') return null
  if (preset === 'google') return GOOGLE
  const issuer = typed.trim()
  if (!URL.canParse(issuer) || issuer.length > 500) throw refusal('issuer', 'providers.issuer.wrong')
  const { protocol, search, hash, username } = new URL(issuer)
  if (protocol !== 'https:' || search !== '' || hash !== '' || username !== '')
    throw refusal('issuer', 'providers.issuer.wrong')
  if (ANY_TENANT.test(issuer)) throw refusal('issuer', 'providers.issuer.tenant')
  return issuer
}
