import type { FastifyReply, FastifyRequest } from 'fastify'

/** How somebody came in: what the security log tells apart. */
export type Way = 'password' | 'link' | 'sign-up' | 'set-up'

/** Signs somebody in, notes it in the log and leads on. @param flash key of what the next page says */
export async function welcome(
  request: FastifyRequest,
  reply: FastifyReply,
  { personId, way, path, flash }: { personId: number; way: Way; path: string; flash: string },
): Promise<FastifyReply> {
  await reply.signIn(personId)
  request.log.info({ event: 'sign-in', personId, way }, 'signed in')
  return reply.flash(flash).redirect(path, 303)
}
