import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { owner, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { yes } from '../../kernel/fields.ts'
import { Problem } from '../../kernel/problem.ts'
import { form } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { backPath, questionPath } from '../../web/paths.ts'
import { findQuestion } from '../posts/find.ts'

export const deskClaims = table(
  'desk_claims',
  { person_id: { ...owner, merge: 'moves' } },
  { key: ['question_id'], expired: sql`claimed_until < now()` },
)

/** How long a claim lasts that nobody renews. public/js/claim.js renews it each minute. */
const CLAIMED = term('deskClaims')

const claimForm = form({ value: yes })

/**
 * Saying that one is about to answer a question, `value` = `1`, or not any more. Scripts send it while the question is open on the
 * desk; colleagues see it there and can still answer.
 */
export function registerClaims(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/claim',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const { id: personId } = request.requirePerson()
      const question = await findQuestion(app.db, request.person, idParam(request, 'id'), 'assign')
      const claim = claimForm.parse(request.body)
      if (!claim.ok) throw new Problem('invalid')
      if (claim.values.value) await claimQuestion(app.db, question.id, personId)
      else await endClaim(app.db, question.id, personId)
      return reply.redirect(backPath(request, questionPath(question)), 303)
    },
  )
}

/** A colleague's claim is left as it is while it lasts. */
export async function claimQuestion(db: Database, questionId: number, personId: number): Promise<void> {
  await sql`
    insert into desk_claims (question_id, person_id, claimed_until)
    values (${questionId}, ${personId}, now() + ${CLAIMED})
    on conflict (question_id) do update set person_id = excluded.person_id, claimed_until = excluded.claimed_until
    where desk_claims.person_id = excluded.person_id or desk_claims.claimed_until <= now()`.execute(db)
}

export async function endClaim(db: Database | Write, questionId: number, personId: number): Promise<void> {
  await db
    .deleteFrom('desk_claims')
    .where('question_id', '=', questionId)
    .where('person_id', '=', personId)
    .execute()
}
