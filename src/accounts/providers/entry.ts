import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Message } from '../../messages/catalogue.ts'
import { perform } from '../../operations/perform.ts'
import { surroundingsOf } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { confirmationRequest } from '../address/confirmation-request.ts'
import { letIn, welcome } from '../sessions/welcome.ts'
import { type Arrival, arriving, providerArrival } from './arrival.ts'
import { hasJustSignedIn, hasShownFactors } from './claims.ts'
import type { Making } from './new-account.ts'
import type { Told } from './openid.ts'
import type { Provider } from './provider.ts'
import type { ProviderAccount } from './provider-account.ts'

type Arrived = Exclude<Arrival, { readonly outcome: 'unlinked' }>

/** Somebody who has an account, and what the provider told of how they signed in there. */
export interface Entering {
  readonly arrival: Arrived
  readonly path: string
  readonly claims: Told['claims']
}

/** Signs in who came back. The forum's own second factor is asked for, unless an admin trusts the provider's. */
export async function letInBy(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  { arrival, path, claims }: Entering,
): Promise<FastifyReply> {
  const way = hasJustSignedIn(claims) ? 'fresh-provider' : 'provider'
  const entry = { ...arrival.access, way, path } as const
  if (arrival.outcome === 'created') {
    const confirming = arrival.mailbox === 'unconfirmed' ? confirmationRequest(request.server, path) : null
    return letIn(request, reply, {
      ...entry,
      flash: saidToNew(arrival, confirming?.said),
      act: confirming?.act,
    })
  }
  const known = { ...entry, flash: 'accounts.flash.signedIn' }
  const hasFactor = provider.acceptsFactor && hasShownFactors(claims)
  return hasFactor ? letIn(request, reply, known) : welcome(request, reply, known)
}

function saidToNew({ mailbox }: Extract<Arrived, { outcome: 'created' }>, confirming?: Message): Message[] {
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
  { path, claims }: { readonly path: string; readonly claims: Told['claims'] },
): Promise<Arrival> {
  const making = makingOf(request, path, claims)
  const call = { actor: null, key: null, input: arriving(provider, account, making) }
  return perform(request.server.db, providerArrival, call, surroundingsOf(request))
}

/** How an account is made that this request asks for. */
export function makingOf(
  request: FastifyRequest,
  path: string,
  claims: Told['claims'],
  isChosen = false,
): Making {
  const t = translatorFor(request)
  const hasShownFactor = hasShownFactors(claims)
  return { path, fallbackName: t('accounts.with.fallbackName'), isChosen, hasShownFactor }
}
