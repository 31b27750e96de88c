import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Write } from '../../database/schema.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { perform } from '../../kernel/perform.ts'
import { applyClaims } from '../../kernel/rights/claimed-roles.ts'
import type { Message } from '../../messages/catalogue.ts'
import { translatorFor } from '../../web/appearance.ts'
import { surroundingsOf } from '../../web/forms/door.ts'
import { confirmationRequest } from '../address/email-confirmation.ts'
import type { Access } from '../identity/access.ts'
import { lockPerson } from '../identity/lock.ts'
import { letIn, welcome } from '../sessions/welcome.ts'
import { hasJustSignedIn, hasShownFactors, type ProviderAccount } from './claims.ts'
import { lockUsable } from './commands.ts'
import { ProviderFailure } from './failure.ts'
import { accessBy, findLinked, markUsed } from './linked-accounts.ts'
import type { Told } from './openid.ts'
import type { Provider } from './provider.ts'
import {
  applyTrust,
  createAccount,
  hasConfirmed,
  isBesideAnother,
  type Making,
  type NewMailbox,
  verifiedDomain,
} from './trust.ts'

/** Signs in who came back. The forum's own second factor is asked for, unless an admin trusts the provider's. */
export async function letInBy(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  arrival: Exclude<Arrival, { readonly outcome: 'unlinked' }>,
  path: string,
  claims: Told['claims'],
): Promise<FastifyReply> {
  const way = hasJustSignedIn(claims) ? 'fresh-provider' : 'provider'
  const entry = { ...arrival.access, way, path } as const
  if (arrival.outcome === 'created') {
    const confirming = arrival.mailbox === 'unconfirmed' ? confirmationRequest(request.server, path) : null
    return letIn(request, reply, {
      ...entry,
      flash: saidToNew(arrival.mailbox, confirming?.said),
      act: confirming?.act,
    })
  }
  const known = { ...entry, flash: 'accounts.flash.signedIn' }
  const hasFactor = provider.acceptsFactor && hasShownFactors(claims)
  return hasFactor ? letIn(request, reply, known) : welcome(request, reply, known)
}

function saidToNew(mailbox: NewMailbox, confirming?: Message): Message[] {
  const said = {
    none: { key: 'accounts.with.noAddress' },
    freed: { key: 'accounts.with.freed' },
    ...{ confirmed: undefined, unconfirmed: confirming },
  }
  const address = said[mailbox]
  return [{ key: 'accounts.flash.signedUp' }, ...(address === undefined ? [] : [address])]
}

/** Finds or makes the account of who came back by this request: a visitor still, whoever is signed in. @throws ProviderFailure */
export function arrive(
  request: FastifyRequest,
  provider: Provider,
  account: ProviderAccount,
  path: string,
  claims: Told['claims'],
): Promise<Arrival> {
  const arriving = new Arriving(provider, account, makingOf(request, path, claims))
  const call = { actor: null, key: null, input: { arriving } }
  return perform(request.server.db, providerArrival, call, surroundingsOf(request))
}

/** How an account is made that this request asks for. */
export function makingOf(request: FastifyRequest, path: string, claims: Told['claims'], isChosen = false) {
  const t = translatorFor(request)
  const hasShownFactor = hasShownFactors(claims)
  return { path, fallbackName: t('accounts.with.fallbackName'), isChosen, hasShownFactor }
}

/** The outcome when a provider has named a person. */
export type Arrival =
  | { readonly outcome: 'known'; readonly access: Access }
  | { readonly outcome: 'created'; readonly access: Access; readonly mailbox: NewMailbox }
  /** They have no account, or one with their address, which they may link to. */
  | { readonly outcome: 'unlinked' }

/**
 * Somebody who came back from a provider, and how a new account is made for them: the input of an arrival,
 * which no form sends, as the provider's answer was checked.
 */
export class Arriving {
  readonly provider: Provider
  readonly account: ProviderAccount
  readonly making: Making

  constructor(provider: Provider, account: ProviderAccount, making: Making) {
    this.provider = provider
    this.account = account
    this.making = making
  }
}

/**
 * Finds the account of somebody whom a provider named, or makes one. No account is found by an address: one that a trusted provider
 * verified leads to the offer to link (`unlinked`), also from an empty account that it made before, and an account that nobody
 * confirmed is never taken over, nor takes over. What trust says now counts at each sign-in.
 * Until they are let in, who came back is a visitor. @throws ProviderFailure `domain`
 */
export const providerArrival = operation({
  name: 'arrive-by-provider',
  right: 'visit',
  isForSuspended: true,
  find: async () => null,
  limit: 'signIn',
  input: { arriving: z.instanceof(Arriving) },
  events: ['member-removed', 'member-role-changed'],
  async run({ write, input, note, ...where }): Promise<Arrival> {
    const { provider, account, making } = input.arriving
    requireDomain(provider, account)
    await lockUsable(write, provider.id)
    await lockSubject(write, account)
    const linked = await findLinked(write, account)
    if (linked !== null) {
      // The version as it is once nobody else changes the account.
      const person = await lockPerson(write, linked.personId)
      const isOffered = making.isChosen
        ? false
        : await isBesideAnother(write, provider, linked.personId, account)
      if (isOffered) return { outcome: 'unlinked' }
      await markUsed(write, linked.id, account)
      if (person !== null) await applyTrust(write, provider, person, account)
      const accessVersion = person?.accessVersion ?? linked.accessVersion
      await applyNoted(write, note, provider, linked.personId, account)
      const access = accessBy({ ...linked, accessVersion }, account, making.hasShownFactor)
      return { outcome: 'known', access }
    }
    const mayCreate =
      provider.createsAccounts && (making.isChosen || !(await hasConfirmed(write, provider, account)))
    if (!mayCreate) return { outcome: 'unlinked' }
    const created = await createAccount(write, provider, account, making, where)
    await applyNoted(write, note, provider, created.access.personId, account)
    return { outcome: 'created', ...created }
  },
})

type Note = Doing<unknown, null, 'member-removed' | 'member-role-changed'>['note']

/** Gives and takes back what the claim says, in the log as if staff had changed it: the person themselves brought the claim. */
export async function applyNoted(
  write: Write,
  note: Note,
  provider: Provider,
  personId: number,
  account: Pick<ProviderAccount, 'roleValues'>,
): Promise<void> {
  const changes = await applyClaims(write, provider.id, personId, account.roleValues ?? [])
  for (const { courseId, role, former } of changes) {
    const about = { personId, courseId, memberId: personId }
    if (role === null) note('member-removed', { ...about, role: former })
    else note('member-role-changed', { ...about, role, isWaiting: false })
  }
}

/** @throws ProviderFailure when the address is of no domain that is allowed, or is not known to be theirs */
export function requireDomain({ allowedDomains }: Provider, { email, isEmailVerified }: ProviderAccount) {
  if (allowedDomains.length === 0) return
  if (verifiedDomain({ email, isEmailVerified }, allowedDomains) === null) throw new ProviderFailure('domain')
}

/** Two browsers that come back with one new account at the same time wait for each other. */
async function lockSubject(write: Write, { issuer, subject }: ProviderAccount): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`linked account ${issuer} ${subject}`}, 0))`.execute(
    write,
  )
}
