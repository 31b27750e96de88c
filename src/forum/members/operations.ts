import { z } from 'zod'
import { personOf } from '../../operations/actor.ts'
import { optional, plain } from '../../operations/fields.ts'
import { type Doing, operation } from '../../operations/operation.ts'
import { refusal } from '../../operations/refused.ts'
import { giveRole, instructorIds, removeRole } from '../courses/roles.ts'
import { type CourseSubject, course } from '../courses/subjects.ts'
import { type Added, addMembers, type Meant } from './add-members.ts'
import { address, meant, role } from './form.ts'
import { readMemberList } from './long-list.ts'
import { MAX_LINES, type MemberLine } from './member-lines.ts'

const adding = { right: 'change-members', find: course } as const

/** Adds the owner of an address, or raises their role; `change`: or lowers it. */
export const memberAdding = operation({
  ...adding,
  name: 'add-member',
  input: { email: address, role, ...meant },
  events: ['members-added'],
  async run(doing) {
    const { email, role } = doing.input
    const added = await add(doing, [{ number: 1, text: email, email, role }], 'raises')
    const [bad] = added.bad
    if (bad !== undefined) throw refusal('role', bad.reason.key)
    return { slug: doing.subject.slug, added }
  },
})

/** Adds many, one a line: a bad line holds up none of the others. With `change`, roles change that people have. */
export const membersAdding = operation({
  ...adding,
  name: 'add-members',
  input: { list: z.string(), ...meant },
  events: ['members-added'],
  async run(doing) {
    const { list } = doing.input
    if (list.trim() === '') throw refusal('list', 'members.list.empty')
    // UTF-16 that was taken for UTF-8.
    if (list.includes('\0') || !list.isWellFormed()) throw refusal('list', 'members.list.encoding')
    if (list.split(/\r\n|\n|\r/).length > MAX_LINES)
      throw refusal('list', 'members.list.many', { max: MAX_LINES })
    const { good, bad, head } = await readMemberList(list)
    const added = await add(doing, good, 'none')
    const allBad = [...bad, ...added.bad].sort((line, other) => line.number - other.number)
    return { slug: doing.subject.slug, added: { ...added, bad: allBad }, head: bad.length > 0 ? head : null }
  },
})

/** There is no account with an address. */
export class NoAccount extends Error {}

/**
 * Sets the role of the owner of an account's address, or takes it with the role left out; also that of the last instructor. The
 * operator does it, who can appoint another. @throws NoAccount where a role would wait for somebody without an account
 */
export const memberSetting = operation({
  ...adding,
  name: 'set-member',
  input: { email: plain, role: optional(role) },
  events: ['members-added', 'member-removed', 'waiting-role-removed'],
  async run({ write, subject: { id: courseId }, input, note }) {
    const email = input.email.normalize('NFC').trim().toLowerCase()
    if (input.role !== null) {
      const grant = await giveRole(write, courseId, email, input.role)
      // Probably a typing error, so no role is reserved for the address.
      if (grant === 'no-account') throw new NoAccount()
      const given = grant === 'given' ? 1 : 0
      note('members-added', { courseId, given, waiting: 1 - given, mailed: 0, bad: 0 })
      return { email, grant, removed: null }
    }
    const { personId: memberId, role: former, wasWaiting } = await removeRole(write, courseId, email)
    if (memberId !== null && former !== null) note('member-removed', { courseId, memberId, role: former })
    if (wasWaiting) note('waiting-role-removed', { courseId })
    const isLed = former !== 'instructor' || (await instructorIds(write, courseId)).length > 0
    return { email, grant: null, removed: { isMember: former !== null || wasWaiting, isLed } }
  },
})

async function add(
  {
    write,
    actor,
    subject,
    input,
    baseUrl,
    note,
  }: Doing<z.output<z.ZodObject<typeof meant>>, CourseSubject, 'members-added'>,
  lines: readonly MemberLine[],
  otherwise: Meant,
): Promise<Added> {
  const { id: courseId } = subject
  const invitation = input.mail ? { course: subject, baseUrl, sender: personOf(actor) } : null
  const added = await addMembers(write, courseId, lines, invitation, input.change ? 'all' : otherwise)
  const { given, waiting, mailed, bad } = added
  note('members-added', { courseId, given, waiting, mailed, bad: bad.length })
  return added
}
