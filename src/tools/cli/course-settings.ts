import { settingsChange } from '../../forum/course-settings/operations.ts'
import { findSettings } from '../../forum/course-settings/settings.ts'
import { courseCalled } from './course-called.ts'
import { performAsOperator } from './perform.ts'
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
  const changes = {
    ...(privateQuestions !== undefined && { allows_private: privateQuestions === 'on' }),
    ...(anonymous !== undefined && { allows_anonymous: anonymous === 'on' }),
    ...(promise !== undefined && { promise_hours: String(promise ?? '') }),
  }
  await withDatabase(async (tools) => {
    const { id, title } = await courseCalled(tools.db, slug)
    if (Object.keys(changes).length > 0) {
      const { version } = await findSettings(tools.db, id)
      await performAsOperator(tools, settingsChange, slug, { ...changes, version: String(version) })
    }
    const { typed: now } = await findSettings(tools.db, id)
    const [kept, hidden] = [now.allows_private, now.allows_anonymous].map((is) => (is === '1' ? 'on' : 'off'))
    const goal =
      now.promise_hours === '' ? 'no response time goal' : `a response time goal of ${now.promise_hours} h`
    console.log(`"${title}": private questions ${kept}, anonymous posts ${hidden}`)
    console.log(`"${title}" has ${goal}`)
  })
}

/** @throws CommandError unless it is a number of hours or none */
function hoursOf(given: string): number | null {
  const hours = given === 'none' ? null : Number(given)
  if (hours === null || (Number.isInteger(hours) && hours >= 1 && hours <= MAX_PROMISE_HOURS)) return hours
  throw new CommandError(`--promise-hours must be a whole number from 1 to ${MAX_PROMISE_HOURS}, or none`)
}
