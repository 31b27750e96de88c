import { POLICY_NAMES } from '../../database/schema.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { choice, text } from '../../operations/fields.ts'
import { type Doing, forum, operation, type Subject } from '../../operations/operation.ts'
import { EditedMeanwhile } from '../../operations/problem.ts'
import { lockedCourse } from '../courses/find-course.ts'
import { version } from '../posts/form.ts'
import { changePolicy, findPolicy, type PolicyPlace } from './queries.ts'

/** Characters of a page; 0: it is empty, and not linked. */
export const POLICY_BODY = { min: 0, max: 30_000 } as const

const body = text({ ...POLICY_BODY, long: 'posts.body.long' })

/** What changes nothing makes no version. @throws EditedMeanwhile */
export const policyChange = operation({
  name: 'change-policy',
  right: 'decide-settings',
  find: forum,
  input: { name: choice(POLICY_NAMES), language: choice(LANGUAGES), body, version },
  events: ['policy-changed'],
  run: async (doing) => change(doing, { courseId: null, ...doing.input }),
})

/** @throws EditedMeanwhile */
export const courseRulesChange = operation({
  name: 'change-course-rules',
  right: 'manage',
  find: lockedCourse,
  input: { body, version },
  events: ['policy-changed'],
  async run(doing) {
    const { id: courseId, language, slug } = doing.subject
    return { slug, ...(await change(doing, { courseId, name: 'rules', language })) }
  },
})

async function change(
  {
    write,
    input,
    note,
  }: Doing<{ readonly body: string; readonly version: number | null }, Subject, 'policy-changed'>,
  { courseId, name, language }: PolicyPlace,
): Promise<{ readonly isChanged: boolean }> {
  const place = { courseId, name, language }
  const { body: before = '', version: present = 0 } = (await findPolicy(write, place)) ?? {}
  const begunWith = input.version ?? 0
  if (before === input.body && present === begunWith) return { isChanged: false }
  const outcome = await changePolicy(write, place, input.body, begunWith)
  if (outcome === 'conflict' && (await findPolicy(write, place))?.body !== input.body)
    throw new EditedMeanwhile()
  note('policy-changed', place)
  return { isChanged: true }
}
