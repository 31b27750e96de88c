import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { line, text } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { letsAgentOf, letsAgentsIn } from '../../kernel/rights/agents.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { leaveAgentDraft } from '../drafts/agent-draft.ts'
import { openToAnswers } from '../posts/closing.ts'
import { POST_BODY } from '../posts/form.ts'
import { type LockedPost, question } from '../posts/lock.ts'

/**
 * Leaves somebody a draft of an answer, as their agent wrote it: beside what they typed there, and instead of the last one that an agent
 * left. They use it or discard it on the question's page; it tells no one.
 */
export const answerDrafting = operation({
  name: 'draft-answer',
  right: 'answer',
  find: question,
  limit: 'agents',
  input: {
    body: text({ ...POST_BODY, short: 'posts.body.short', long: 'posts.body.long' }),
    client: line({ min: 1, max: 100 }),
  },
  rules: [openToAnswers],
  async run({ write, actor, subject, input }) {
    const person = personOf(actor)
    await requireAgents(write, person, subject)
    const { id, title } = subject.question
    await leaveAgentDraft(write, person.id, id, input)
    return { id, title }
  },
})

/** A private question, and one that is held or hidden, is not there for agents, whoever they act for. @throws Problem 404 */
async function requireAgents(
  write: Write,
  person: Person,
  { courseId, audience, hiddenAuthors }: LockedPost,
) {
  const { rows } = await sql`
    select from courses as course where course.id = ${courseId} and ${letsAgentOf(person, null)}`.execute(
    write,
  )
  const isShared = audience === 'course' && hiddenAuthors.length === 0
  if (rows.length === 0 || !isShared || !(await letsAgentsIn(write))) throw notFound()
}
