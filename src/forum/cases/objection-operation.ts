import { personOf } from '../../operations/actor.ts'
import { line, text } from '../../operations/fields.ts'
import { forum, operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { object } from './objections.ts'

/** Objects to a measure about oneself, suspended or not. */
export const objection = operation({
  name: 'object',
  right: 'have-account',
  find: forum,
  isForSuspended: true,
  input: {
    measure: line({ min: 1, max: 15 }),
    note: text({ min: 1, max: 5000, short: 'standing.object.empty' }),
  },
  async run({ write, actor, input }) {
    const measureId = Number(input.measure)
    const { id } = personOf(actor)
    const own = await write
      .selectFrom('measures')
      .select('id')
      .where('id', '=', measureId)
      .where('person_id', '=', id)
      .executeTakeFirst()
    if (own === undefined) throw notFound()
    return { measureId, isDone: await object(write, id, measureId, input.note) }
  },
})
