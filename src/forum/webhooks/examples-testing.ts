import type { Example, Examples } from '../../testing/examples.ts'
import { addWebhookRow } from './row-testing.ts'

const told = { url: 'https://receiver.example/hook', types: 'question.created' }
const wrong = { url: 'no address' }

/** The same by an instructor in their course, and by an admin for the forum. @param path below that of the webhook */
function onOne(path: string, example: Omit<Example, 'as' | 'find' | 'at'> = {}): Example {
  const made = (isOfForum: boolean): NonNullable<Example['find']> => {
    return async ({ db, course, staff, admin }) => {
      const of = isOfForum ? { ownerId: staff.id } : { courseId: course.id, ownerId: admin.id }
      const id = await addWebhookRow(db, of)
      return { id, delivery: id }
    }
  }
  return {
    ...{ ...example, as: 'staff', find: made(false) },
    at: { [`/admin/webhooks/:id${path}`]: { ...example, as: 'admin', find: made(true) } },
  }
}

const making = { input: { kind: 'standard', ...told }, wrong }

export const WEBHOOK_EXAMPLES: Examples = {
  'make-webhook': { as: 'staff', ...making, at: { '/admin/webhooks': { as: 'admin', ...making } } },
  'change-webhook': onOne('', { input: told, wrong }),
  'rotate-webhook-secret': onOne('/secret'),
  'take-over-webhook': onOne('/owner'),
  'test-webhook': onOne('/test'),
  'send-webhook-delivery-again': onOne('/deliveries/:delivery/again'),
  'end-webhook': onOne('/end'),
}
