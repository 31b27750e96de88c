import type { FastifyReply, FastifyRequest } from 'fastify'
import { askForCode } from '../second-factor/half-cookie.ts'
import { findSecondFactor } from '../second-factor/second-factor.ts'

/** How somebody came in: what the security log tells apart. */
export type Way = 'password' | 'link' | 'sign-up' | 'set-up'

export interface Entry {
  readonly personId: number
  readonly way: Way
  /** Where it leads. */
  readonly path: string
  /** Key of what the next page says. */
  readonly flash: string
}

/** Lets somebody in whose password or link was right; with a second factor they are asked for its code first. */
export async function welcome(
  request: FastifyRequest,
  reply: FastifyReply,
  entry: Entry,
): Promise<FastifyReply> {
  const { personId, way, path } = entry
  if (way === 'password' || way === 'link') {
    const factor = await findSecondFactor(request.server.db, personId)
    if (factor?.isOn) return askForCode(request, reply, { personId, way, path })
  }
  return letIn(request, reply, entry)
}

/** Signs somebody in, notes it in the log and leads on. */
export async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { personId, way, path, flash }: Entry,
  hasSecondFactor = false,
): Promise<FastifyReply> {
  await reply.signIn(personId)
  request.log.info({ event: 'sign-in', personId, way, hasSecondFactor }, 'signed in')
  return reply.flash(flash).redirect(path, 303)
}
