import { aShownImport, aTriedImport } from '../../operating/transfer/row-testing.ts'
import { type Example, type Examples, newest, TYPED } from '../../testing/examples.ts'

const body = { body: TYPED }
const tooLong = { body: `${TYPED}${'x'.repeat(30_000)}` }
const course = {
  title: 'A course as an example',
  description: TYPED,
  language: 'en',
  time_zone: 'UTC',
  visibility: 'public',
  asking: 'everybody',
  accent: 'green',
}
const email = 'somebody@example.org'
const named = { email, role: 'learner' }
const sent = { person: 'asked@example.org assistant' }
const byStaff = (input?: Example['input'], wrong?: Example['wrong']): Example => ({
  as: 'staff',
  ...(input !== undefined && { input }),
  ...(wrong !== undefined && { wrong }),
})
/** A role for which a list asks, until an instructor says yes. */
const asked: Example = {
  ...byStaff(sent, { person: '' }),
  find: async ({ db, course: { id } }) => {
    const row = { course_id: id, email: 'asked@example.org', name: 'Asked', role: 'assistant' } as const
    await db.insertInto('asked_roles').values(row).execute()
    return {}
  },
}
const waiting = (fields: Readonly<Record<string, string>>): Example => ({
  ...byStaff({ email, ...fields }, { email: '' }),
  after: ['add-member'],
})
const anEntry = { after: ['make-faq-entry'], find: newest('faq_entries') }
/** A file that somebody brought, and that was tried. */
const anImport: NonNullable<Example['find']> = async ({ db, course: { id } }) => ({
  run: await aTriedImport(db, id),
})
const anotherCategory: Example['find'] = async ({ db, course: { id } }) => {
  const made = { course_id: id, slug: 'example', name: 'Example', position: 9 }
  return db.insertInto('categories').values(made).returning('id').executeTakeFirstOrThrow()
}

export const COURSE_EXAMPLES: Examples = {
  'make-course': { as: 'admin', input: course, wrong: { title: '' } },
  'copy-course': byStaff({ title: 'The next run', questions: 'accepted' }, { title: '', questions: 'all' }),
  'archive-course': byStaff({ value: 1 }, { value: 'perhaps' }),
  'change-course-settings': byStaff({ ...course, version: 1 }, { title: '' }),
  'show-first-steps': byStaff({ value: 0 }, { value: 'perhaps' }),
  'change-course-rules': byStaff({ ...body, version: 0 }, tooLong),
  'bring-import': {
    ...byStaff({ source: 'handup' }, { source: 'nowhere' }),
    file: async () => Buffer.from('an export'),
  },
  'start-import': { ...byStaff({ anonymous: 'drop' }, { anonymous: 'perhaps' }), find: anImport },
  'take-back-import': {
    ...byStaff({}, { with_answers: 'perhaps' }),
    find: async ({ db, course: { id } }) => ({ run: await aShownImport(db, id) }),
  },
  'discard-import': { ...byStaff(), find: anImport },
  'export-course': byStaff({ pseudonymous: '1' }, { pseudonymous: 'perhaps' }),
  'make-course-token': byStaff({ name: 'Notebook', ends: '' }, { name: '' }),
  'revoke-course-token': { ...byStaff(), after: ['make-course-token'], find: newest('api_tokens') },
  'leave-course': { as: 'helper' },
  'make-category': byStaff({ name: 'Projects' }, { name: '' }),
  'rename-category': { ...byStaff({ name: 'Projects' }, { name: '' }), find: anotherCategory },
  'remove-category': { ...byStaff(), find: anotherCategory },
  'change-course-tag': byStaff(
    { tag: 'http', name: 'protocols', description: TYPED, aliases: 'hypertext' },
    { name: 'not a tag!' },
  ),
  'undo-course-tag': { ...byStaff(), after: ['change-course-tag'], find: async () => ({ tag: 'http' }) },
  'change-blocklist': byStaff({ words: 'casino*', sure: 1 }, { words: '*' }),
  'add-lectures': byStaff({ lectures: 'Media types' }, { lectures: `4,${TYPED}\nx,Caching\n5,` }),
  'change-lecture': byStaff({ title: 'Codes', position: 7 }, { title: '' }),
  'move-lecture': byStaff({ direction: 'up' }),
  'merge-lecture': byStaff({ into: 1 }, { into: 99 }),
  'remove-lecture': byStaff({ into: 1 }, { into: 99 }),
  'undo-lectures': {
    ...byStaff(),
    after: ['add-lectures'],
    find: ({ db }) => db.selectFrom('lecture_undos').select('change').executeTakeFirstOrThrow(),
  },
  'add-member': byStaff(named, { email: 'no address' }),
  'add-members': byStaff({ list: 'one@example.org, learner' }, { list: '' }),
  'give-asked-roles': asked,
  'dismiss-asked-roles': { ...asked, input: { ...sent, act: 'dismissal' } },
  'change-member-roles': {
    ...byStaff({ role: 'assistant' }, { role: 'king' }),
    at: {
      '/courses/:course/members/selection': byStaff(
        ({ helper }) => ({ act: 'role', person: helper.id, role: 'assistant' }),
        { role: 'king' },
      ),
    },
  },
  'undo-member-roles': {
    ...byStaff(),
    after: ['change-member-roles'],
    find: async ({ helper }) => ({ given: 'assistant', former: `learner.${helper.id}` }),
    at: {
      '/courses/:course/members/:person/role/:given/undo/:former': {
        ...byStaff(),
        after: ['change-member-roles'],
        find: async () => ({ given: 'assistant', former: 'learner' }),
      },
    },
  },
  'remove-members': {
    ...byStaff(),
    at: {
      '/courses/:course/members/selection': byStaff(({ helper }) => ({
        act: 'removal',
        person: helper.id,
        sure: 1,
      })),
    },
  },
  'change-waiting-roles': waiting({ act: 'role', role: 'assistant' }),
  'remove-waiting-roles': waiting({ act: 'removal', sure: '1' }),
  'mail-invitations': waiting({ act: 'invitation' }),
  'make-invitation': byStaff({ role: 'learner' }, { role: 'king' }),
  'end-invitation': { ...byStaff(), after: ['make-invitation'], find: newest('invitations') },
  'join-course': {
    as: 'admin',
    after: ['make-invitation'],
    find: async ({ as }) => ({
      token: /\/join\/([\w-]+)/.exec((await as.staff.get('/courses/rest/members')).body)?.[1] ?? '',
    }),
  },
  'post-announcement': byStaff({ title: 'The room', ...body }, tooLong),
  'edit-announcement': byStaff({ title: 'The room', version: 1, ...body }, tooLong),
  'make-faq-entry': byStaff({ title: 'Why is that so?', state: 'shown', ...body }, { title: '' }),
  'change-faq-entry': { ...byStaff({ title: 'Why not?', ...body }, tooLong), ...anEntry },
  'move-faq-entry': {
    ...byStaff({ direction: 'up' }),
    ...anEntry,
    after: ['make-faq-entry', 'make-faq-entry'],
  },
  'save-answer': byStaff({ title: 'Look there', ...body }, { title: '' }),
  'remove-saved-answer': {
    ...byStaff((_, { id = 0 }) => ({ id, remove: 1 })),
    after: ['save-answer'],
    find: newest('saved_answers'),
  },
}
