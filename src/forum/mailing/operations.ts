import { z } from 'zod'
import { PUSH_RHYTHMS, type Reason, RHYTHMS } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, flag, plain } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import {
  findMailSettings,
  type MailSettings,
  SCOPES,
  saveMailChoices,
  slowDown,
  unsubscribe,
} from './choices.ts'

/**
 * Chooses how often mail comes, of which courses, by slug, and of what: `kinds` names all that shall come of those that are `shown`, to
 * learners or to staff. The same of pushes. What is left out stays as it is.
 */
export const mailChoice = operation({
  name: 'choose-mail',
  right: 'have-account',
  find: forum,
  isForSuspended: true,
  input: {
    rhythm: choice(RHYTHMS).optional(),
    courses: z.record(z.string(), choice(['default', ...RHYTHMS])).optional(),
    kinds: z.array(z.string()).optional(),
    push: choice(PUSH_RHYTHMS).optional(),
    pushes: z.array(z.string()).optional(),
    shown: choice(['learners', 'staff']).optional(),
    resume: flag,
  },
  async run({ write, actor, input: { rhythm, courses = {}, kinds, push, pushes, shown, resume } }) {
    const { id } = personOf(actor)
    const settings = await findMailSettings(write, id)
    const chosen = settings.courses.flatMap(({ id: courseId, slug }) => {
      const wished = Object.hasOwn(courses, slug) ? courses[slug] : undefined
      return wished === undefined ? [] : [[courseId, wished === 'default' ? null : wished] as const]
    })
    await saveMailChoices(write, id, {
      rhythm,
      courses: new Map(chosen),
      mailsOff: kinds && reasonsOff(KINDS, shownTo(settings, shown), settings.mailsOff, kinds),
      pushRhythm: push,
      pushesOff: pushes && reasonsOff(PUSHED, shownTo(settings, shown), settings.pushesOff, pushes),
      isResumed: resume,
    })
  },
})

const shownTo = ({ isStaff }: MailSettings, shown: 'learners' | 'staff' | undefined) =>
  kindsFor({ isStaff: isStaff && shown !== 'learners' })

/** Choices that the form doesn't show stay as they are: a person may become staff before they save it. */
function reasonsOff(
  all: typeof KINDS,
  shown: typeof KINDS,
  off: readonly string[],
  kinds: readonly string[],
) {
  return all.flatMap((kind): readonly string[] => {
    if (kinds.includes(kind.name)) return []
    return shown.includes(kind) ? kind.reasons : kind.reasons.filter((reason) => off.includes(reason))
  })
}

/** Ends mail: all of it, the weekly one, or that of the course or question `id`; or makes it rarer. The link in a mail says who. */
export const mailEnd = operation({
  name: 'unsubscribe',
  right: 'visit',
  find: forum,
  limit: 'voting',
  isForSuspended: true,
  input: { what: choice(SCOPES), id: plain, rhythm: choice(RHYTHMS).optional() },
  async run({ write, actor, input: { what, id, rhythm } }) {
    const person = personOf(actor)
    if (rhythm === undefined || rhythm === 'never')
      await unsubscribe(write, { personId: person.id, what, id: Number(id) })
    else await slowDown(write, person.id, rhythm)
  },
})

/**
 * What emails and pushes tell of: a box each on the page of settings, `kind_<name>` and `push_<name>`, and the reasons of notifications that
 * it is for; `week` is the weekly mail to staff, which isn't pushed. Those of `forStaff` nobody else gets.
 */
const KINDS: readonly { name: string; reasons: readonly (Reason | 'week')[]; forStaff?: true }[] = [
  { name: 'answered', reasons: ['answered'] },
  { name: 'reply', reasons: ['reply', 'clarification'] },
  { name: 'mention', reasons: ['mention'] },
  { name: 'accepted', reasons: ['accepted', 'endorsed', 'released'] },
  { name: 'followed', reasons: ['followed', 'moved', 'converted'] },
  { name: 'question', reasons: ['question'] },
  { name: 'announcement', reasons: ['announcement'] },
  { name: 'promise', reasons: ['promise'], forStaff: true },
  { name: 'held', reasons: ['held'], forStaff: true },
  { name: 'week', reasons: ['week'], forStaff: true },
]

export const PUSHED = KINDS.filter(({ name }) => name !== 'week')

export function kindsFor({ isStaff }: { readonly isStaff: boolean }) {
  return KINDS.filter(({ forStaff }) => isStaff || forStaff !== true)
}
