import { enqueue } from '../../jobs/table.ts'
import { someMail } from '../../mail/testing.ts'
import { type Example, type Examples, newest, TYPED } from '../../testing/examples.ts'
import { ensureSetUpLink } from '../set-up/set-up.ts'

const byAdmin = (input?: Example['input'], wrong?: Example['wrong']): Example => ({
  as: 'admin',
  ...(input !== undefined && { input }),
  ...(wrong !== undefined && { wrong }),
})
const aProvider = { after: ['add-provider'], find: newest('identity_providers') }
const provider = { preset: 'github', label: 'Code', client_id: 'forum', client_secret: 'a secret of theirs' }
const aRole: Example = {
  find: async ({ providerId: id }) => ({ id }),
}

export const ADMIN_EXAMPLES: Examples = {
  'change-site-settings': byAdmin(
    { staff_second_factor: 'optional', audit_months: '24', case_months: '12' },
    { audit_months: '0' },
  ),
  'change-policy': byAdmin({ body: TYPED }, { body: `${TYPED}${'x'.repeat(60_000)}` }),
  'change-forum-blocklist': byAdmin({ links: 'casino.example', sure: 1 }, { links: 'casino' }),
  'add-provider': byAdmin(provider, { label: '' }),
  'change-provider': { ...byAdmin(provider, { label: '' }), ...aProvider },
  'change-environment-provider': {
    ...byAdmin({ domains: 'example.org' }, { domains: 'no domain' }),
    ...aRole,
  },
  'move-provider': { ...byAdmin({ direction: 'up' }), ...aProvider },
  'turn-provider': { ...byAdmin({ value: 'off' }, { value: 'perhaps' }), ...aProvider },
  'test-provider': { ...byAdmin(), ...aRole },
  'remove-provider': { ...byAdmin(), ...aProvider },
  'add-provider-role': {
    ...byAdmin({ value: 'staff', course: 'rest', role: 'assistant' }, { course: 'none' }),
    ...aRole,
  },
  'remove-provider-role': {
    ...byAdmin((_, { given = 0 }) => ({ given })),
    after: ['add-provider-role'],
    find: async (forum) => ({ id: forum.providerId, given: (await newest('provider_roles')(forum)).id }),
  },
  'change-admin': byAdmin({ value: 1 }, { value: 'perhaps' }),
  'make-sign-in-link': byAdmin(),
  'remove-account': byAdmin(({ helper }) => ({ confirm: helper.email, posts: 'keep' }), {
    confirm: 'nobody',
  }),
  'merge-accounts': byAdmin(({ newcomer }) => ({ from: newcomer.id, sure: 1 }), { sure: '' }),
  'undo-account-merge': { ...byAdmin(({ newcomer }) => ({ from: newcomer.id })), after: ['merge-accounts'] },
  'delete-course': byAdmin({ title: 'REST' }, { title: 'Another' }),
  'restore-course': { ...byAdmin(), after: ['delete-course'] },
  'redact-audit-entry': { ...byAdmin(), after: ['make-sign-in-link'], find: newest('audit') },
  'retry-job': {
    ...byAdmin(),
    find: async (forum) => {
      await enqueue(forum.db, 'search', 1)
      return newest('jobs')(forum)
    },
  },
  'send-mail-again': {
    ...byAdmin(),
    find: async (forum) => {
      await someMail(forum.db, {})
      const { id = 0 } = await newest('mails')(forum)
      return { mailId: id }
    },
  },
  'set-up': {
    as: 'visitor',
    find: async ({ db, app }) => {
      await db.updateTable('people').set({ is_admin: false }).execute()
      const link = await ensureSetUpLink(db, app.config.baseUrl, 'en')
      return { token: new URL(link?.url ?? '').searchParams.get('token') ?? '' }
    },
    input: (_, { token = '' }) => ({
      token,
      display_name: 'Ada',
      email: 'ada@example.org',
      password: 'six blue doors in a row',
      title: 'A course',
      field: 'Backend',
      language: 'en',
      time_zone: 'UTC',
      lectures: '',
    }),
    wrong: { title: '' },
  },
}
