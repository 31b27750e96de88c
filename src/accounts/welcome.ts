import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../events/note.ts'
import { hasSecondFactor } from '../second-factor/factors.ts'
import { askForCode } from '../second-factor/half-cookie.ts'

/** How somebody came in: what the security log tells apart. */
export type Way = 'password' | 'link' | 'sign-up' | 'set-up' | 'passkey'
/** What they showed after that. */
export type SecondStep = 'code' | 'passkey'

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
    if (await hasSecondFactor(request.server.db, personId))
      return askForCode(request, reply, { personId, way, path })
  }
  return letIn(request, reply, entry)
}

/** Signs somebody in, notes it in the log and leads on. @param step the second one; null: none was needed */
export async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { personId, way, path, flash }: Entry,
  step: SecondStep | null = null,
): Promise<FastifyReply> {
  await reply.signIn(personId, { isByPasskey: way === 'passkey' || step === 'passkey' })
  noteEvent(request, 'sign-in', { personId, way, step, address: request.ip })
  return reply.flash(flash).redirect(path, 303)
}
