import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import type { Message } from '../../messages/catalogue.ts'
import type { FlashAct } from '../../web/flash.ts'
import type { Access } from '../identity/access.ts'
import { hasSecondFactor } from '../identity/factors.ts'
import { isHalfWay, type Way } from '../identity/ways.ts'
import { askForCode } from './half-sign-ins.ts'

/** Somebody who showed who they are, and what the next page says and offers. */
export interface Entry extends Access {
  readonly way: Way
  /** Where it leads. */
  readonly path: string
  /** Key of what the next page says, or several with their values. */
  readonly flash: string | readonly Message[]
  readonly act?: FlashAct | undefined
}

/** Lets somebody in whose password or link was right; with a second factor they are asked for its code first. */
export async function welcome(request: FastifyRequest, reply: FastifyReply, entry: Entry) {
  const { personId, way } = entry
  if (await request.server.mustUseProvider(request, entry)) return sendToProvider(request, reply, way)
  if (isHalfWay(way) && (await hasSecondFactor(request.server.db, personId))) {
    const isAsked = await askForCode(request, reply, { ...entry, way })
    return isAsked ? reply.redirect('/sign-in/code', 303) : startAgain(reply)
  }
  return letIn(request, reply, entry)
}

/** Signs somebody in, notes it in the log and leads on. @param step the second one; null: none was needed */
export async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  entry: Entry,
  step: 'code' | 'passkey' | null = null,
): Promise<FastifyReply> {
  const { personId, way, path, flash, act } = entry
  if (step === null && (await request.server.mustUseProvider(request, entry)))
    return sendToProvider(request, reply, way)
  if (!(await reply.signIn(entry, step === null ? [way] : [way, step], path))) return startAgain(reply)
  noteEvent(request, 'sign-in', { personId, way, step })
  return reply.flash(flash, act).redirect(path, 303)
}

/** The proof was right, but isn't accepted while a provider is required. */
function sendToProvider(request: FastifyRequest, reply: FastifyReply, way: Way): FastifyReply {
  noteEvent(request, 'sign-in-refused', { way, reason: 'a provider is required' })
  return reply.flash('accounts.signIn.required').redirect('/sign-in', 303)
}

/** The password was changed, or the account taken back, while somebody was signing in. */
function startAgain(reply: FastifyReply): FastifyReply {
  return reply.flash('accounts.flash.changedMeanwhile').redirect('/sign-in', 303)
}
