import type { FastifyRequest } from 'fastify'
import { answerDrafting } from '../../forum/answers/drafting.ts'
import { perform } from '../../kernel/perform.ts'
import { refusal } from '../../kernel/problem.ts'
import { shortened } from '../../text/characters.ts'
import { surroundingsOf } from '../../web/forms/door.ts'
import { absolute } from '../../web/json/endpoint.ts'
import { questionPath } from '../../web/paths.ts'

/** Characters of the name of a program, as its drafts have it. */
const MAX_CLIENT_LENGTH = 100

/** Leaves a draft of an answer to whom the agent acts for. @throws Refused for a token that acts for no one */
export async function draftAnswer(
  request: FastifyRequest,
  { question: key, body }: { readonly question: number; readonly body: string },
) {
  const { agent, server } = request
  if (agent === null || agent.actor === null) throw refusal('question', 'agents.refused.nobody')
  const input = { body, client: shortened(agent.client, MAX_CLIENT_LENGTH) }
  const call = { actor: agent.actor, key, input }
  const drafted = await perform(server.db, answerDrafting, call, surroundingsOf(request))
  return { is_saved: true, url: absolute(request, `${questionPath(drafted)}#answer`) }
}
