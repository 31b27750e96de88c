import { OPERATOR } from '../../kernel/actor.ts'
import type { Operation } from '../../kernel/operation.ts'
import { perform } from '../../kernel/perform.ts'
import { EditedMeanwhile, Problem, Refused } from '../../kernel/problem.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { CommandError, type Tools } from './run.ts'

/** Commands print English. */
const say = translatorOf('en')

/**
 * The command-line's door: the operator performs an operation. Its events are in the audit log alone: who types a command sees what it prints.
 * @throws CommandError that says why not
 */
export async function performAsOperator<Key, Outcome>(
  { db, config }: Tools,
  operation: Operation<Key, Outcome>,
  key: Key,
  input: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const surroundings = { baseUrl: config.baseUrl, language: 'en', log: () => undefined } as const
  try {
    return await perform(db, operation, { actor: OPERATOR, key, input }, surroundings)
  } catch (error) {
    if (error instanceof Problem) throw new CommandError(say(error.text.key), { cause: error })
    if (error instanceof EditedMeanwhile)
      throw new CommandError('it was changed meanwhile: run the command again', { cause: error })
    if (!(error instanceof Refused)) throw error
    const reasons = error.errors.map(({ field, message }) => `${field}: ${say(message.key, message.values)}`)
    throw new CommandError(reasons.join('; '), { cause: error })
  }
}
