import type { FastifyRequest } from 'fastify'
import { requestAfterFirstQuestion } from '../../accounts/address/confirmation-request.ts'
import type { Message } from '../../messages/catalogue.ts'
import type { FlashAct } from '../../web/flash.ts'
import { expectedAnswerTime } from '../courses/promise.ts'
import { saidOfPost } from '../posts/mentions.ts'

/** What somebody is told who has just asked: that it is posted, how soon an answer can be expected, and how they hear of it. */
export async function saidAfterAsking(
  request: FastifyRequest,
  question: { readonly id: number; readonly course: { readonly id: number } },
  posted: string,
  path: string,
): Promise<{ readonly said: readonly Message[]; readonly act: FlashAct | undefined }> {
  const { server } = request
  const [{ said: written }, expected, confirming] = await Promise.all([
    saidOfPost(request, 'questions', question.id, posted),
    expectedAnswerTime(server.db, question.course.id),
    requestAfterFirstQuestion(server, request.requirePerson(), path),
  ])
  const said = [...written, ...expected, ...(confirming === null ? [] : [confirming.said])]
  return { said, act: confirming?.act }
}
