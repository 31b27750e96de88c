import { setPromise } from '../../forum/courses/promise.ts'
import { courseCalled } from './course-called.ts'
import { CommandError, withDatabase } from './run.ts'

export const SWITCH = ['on', 'off'] as const
/** As in the constraint courses_promise_hours_bounds. */
const MAX_PROMISE_HOURS = 8760

interface Settings {
  readonly privateQuestions?: string
  readonly anonymous?: string
  readonly promiseHours?: string
}

/** handup course settings: what is given changes. What learners have hidden already stays hidden. */
export async function settings(slug: string, given: Settings): Promise<void> {
  const promise = given.promiseHours === undefined ? undefined : hoursOf(given.promiseHours)
  const { privateQuestions, anonymous } = given
  const switches = {
    ...(privateQuestions === undefined ? {} : { allows_private: privateQuestions === 'on' }),
    ...(anonymous === undefined ? {} : { allows_anonymous: anonymous === 'on' }),
  }
  await withDatabase(async ({ db }) => {
    const { id, title } = await courseCalled(db, slug)
    if (promise !== undefined) await setPromise(db, id, promise)
    if (Object.keys(switches).length > 0)
      await db.updateTable('courses').set(switches).where('id', '=', id).execute()
    const now = await db
      .selectFrom('courses')
      .select(['allows_private', 'allows_anonymous', 'promise_hours'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const [kept, hidden] = [now.allows_private, now.allows_anonymous].map((is) => (is ? 'on' : 'off'))
    const hours = now.promise_hours
    console.log(`"${title}": private questions ${kept}, anonymous posts ${hidden}`)
    console.log(
      `"${title}" ${hours === null ? 'has no response time goal' : `has a response time goal of ${hours} h`}`,
    )
  })
}

/** @throws CommandError unless it is a number of hours or none */
function hoursOf(given: string): number | null {
  const hours = given === 'none' ? null : Number(given)
  if (hours === null || (Number.isInteger(hours) && hours >= 1 && hours <= MAX_PROMISE_HOURS)) return hours
  throw new CommandError(`--promise-hours must be a whole number from 1 to ${MAX_PROMISE_HOURS}, or none`)
}
