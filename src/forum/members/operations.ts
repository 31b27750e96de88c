import { flag, optional, plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { course } from '../courses/find-course.ts'
import { giveRole, instructorIds, removeRole } from '../courses/roles.ts'
import { addNoted, dropAsked, lineOf } from './add-members.ts'
import { keepAsked } from './asked-roles.ts'
import { address, column, list, meant, role } from './form.ts'
import { readMemberList } from './member-lines.ts'

const adding = { right: 'change-members', find: course } as const

/** `change`: the role may also be lowered. */
export const memberAdding = operation({
  ...adding,
  name: 'add-member',
  input: { email: address, role, ...meant },
  events: ['members-added'],
  async run(doing) {
    const { email, role } = doing.input
    const added = await addNoted(doing, [lineOf({ email, role })], {
      raises: true,
      lowers: doing.input.change,
    })
    const [bad] = added.bad
    if (bad !== undefined) throw refusal('role', bad.reason.key)
    await dropAsked(doing.write, doing.subject.id, [email])
    return { slug: doing.subject.slug, added }
  },
})

/**
 * Adds learners from a list or a table: a bad line holds up none of the others. Roles that add rights wait for an answer
 * (asked-roles.ts); with `change`, rights are taken that people have. `table`: it is one; `column`: which one holds the addresses.
 */
export const membersAdding = operation({
  ...adding,
  name: 'add-members',
  input: { list, ...meant, table: flag, column },
  events: ['members-added'],
  async run(doing) {
    const { list, table, column } = doing.input
    const read = await readMemberList({ list, isTable: table, column })
    if ('columns' in read) throw refusal('column', 'members.list.columns')
    if ('fault' in read) throw refusal('list', read.fault.key, read.fault.values)
    const added = await addNoted(doing, read.good, { raises: false, lowers: doing.input.change })
    await keepAsked(doing.write, doing.subject.id, read.good, added.raises)
    const bad = [...read.bad, ...added.bad].sort((line, other) => line.number - other.number)
    return { slug: doing.subject.slug, added: { ...added, bad }, isTable: read.isTable }
  },
})

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
