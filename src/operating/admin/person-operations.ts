import { z } from 'zod'
import { closeAccount } from '../../accounts/deletion/leave.ts'
import { lockPeople } from '../../accounts/identity/lock.ts'
import type { Write } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { personOf } from '../../operations/actor.ts'
import { choice, yes } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'

const numbered = z.string().transform(numberOf)

/** Makes somebody an admin, or takes that back; the last one stays. */
export const changeAdmin = operation({
  name: 'change-admin',
  right: 'manage-people',
  find: lockAccount,
  input: { person: numbered, value: yes },
  events: ['admin-changed'],
  async run({ write, input: { person: id, value: isAdmin }, note }) {
    const account = await findAccount(write, id)
    if (!isAdmin && account.isLastAdmin) throw refusal('value', 'admin.person.lastAdmin')
    await write.updateTable('people').set({ is_admin: isAdmin }).where('id', '=', id).execute()
    note('admin-changed', { ownerId: id, isAdmin })
  },
})

/** Deletes the account of somebody else, as they could themselves. Its address, or without one its name, is typed. */
export const deleteAccount = operation({
  name: 'remove-account',
  right: 'manage-people',
  find: lockAccount,
  input: { person: numbered, confirm: z.string(), posts: choice(['keep', 'delete']) },
  events: ['account-removed'],
  async run({ write, actor, input: { person: id, confirm, posts }, baseUrl, note }) {
    const account = await findAccount(write, id)
    const called = account.email ?? account.displayName
    if (confirm.trim().normalize('NFC').toLowerCase() !== called.toLowerCase())
      throw refusal('confirm', 'admin.person.wrongName', { name: called })
    if (account.isLastAdmin) throw refusal('confirm', 'admin.person.lastAdmin')
    const language = personOf(actor).language ?? 'en'
    const formerName = translatorOf(language)('leaving.formerName')
    await closeAccount(write, account, { posts, formerName }, { baseUrl, language })
    note('account-removed', { ownerId: id, posts })
  },
})

/** The number of an account, as an address has it; 0: nobody's. */
function numberOf(id: string): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
}

/** Locks an account and all admins, before the actor is read: two admins could else take each other away. */
async function lockAccount(write: Write, id: string): Promise<null> {
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).execute()
  await lockPeople(write, [...admins.map((admin) => admin.id), numberOf(id)])
  return null
}

/** @throws Problem 'notFound' */
async function findAccount(write: Write, id: number) {
  const [account] = await lockPeople(write, [id])
  const row = await write
    .selectFrom('people')
    .select('display_name as displayName')
    .where('id', '=', id)
    .where('left_at', 'is', null)
    .executeTakeFirst()
  if (account === undefined || row === undefined) throw notFound()
  const admins = await write.selectFrom('people').select('id').where('is_admin', '=', true).limit(2).execute()
  return { ...account, ...row, isLastAdmin: admins.length === 1 && admins[0]?.id === id }
}
