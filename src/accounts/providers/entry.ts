import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { type Message, translatorOf } from '../../messages/catalogue.ts'
import type { RoleChange } from '../../rights/claimed-roles.ts'
import { languageOfRequest } from '../../web/language.ts'
import { confirmationRequest } from '../address/confirmation-request.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { letIn, welcome } from '../sessions/welcome.ts'
import type { Arrival, Making } from './arrival.ts'
import { hasJustSignedIn, hasShownFactors } from './claims.ts'
import type { Told } from './openid.ts'
import type { Provider } from './provider.ts'

type Arrived = Exclude<Arrival, { readonly outcome: 'unlinked' }>

/** Somebody who has an account, and what the provider told of how they signed in there. */
export interface Arriving {
  readonly arrival: Arrived
  readonly path: string
  readonly claims: Told['claims']
}

/** Signs in who came back. The forum's own second factor is asked for, unless an admin trusts the provider's. */
export async function letInBy(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  { arrival, path, claims }: Arriving,
): Promise<FastifyReply> {
  const way = hasJustSignedIn(claims) ? 'fresh-provider' : 'provider'
  const entry = { ...arrival.access, way, path } as const
  for (const change of arrival.roles) noteRole(request, arrival.access.personId, change)
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

/** In the log as if staff had changed it; the person themselves brought the claim. */
function noteRole(request: FastifyRequest, personId: number, { courseId, role, former }: RoleChange): void {
  const about = { personId, courseId, memberId: personId }
  if (role === null) noteEvent(request, 'member-removed', { ...about, role: former })
  else noteEvent(request, 'member-role-changed', { ...about, role, isWaiting: false })
}

function saidToNew({ mailbox }: Extract<Arrived, { outcome: 'created' }>, confirming?: Message): Message[] {
  const address = mailbox === 'none' ? { key: 'accounts.with.noAddress' } : confirming
  return [{ key: 'accounts.flash.signedUp' }, ...(address === undefined ? [] : [address])]
}

/** How an account is made that this request asks for. */
export function makingOf(request: FastifyRequest, path: string, isChosen = false): Making {
  const t = translatorOf(languageOfRequest(request))
  return {
    path,
    fallbackName: t('accounts.with.fallbackName'),
    circumstances: circumstancesOf(request),
    isChosen,
  }
}
