import { askingOf } from '../../accounts/identity/reauthentication.ts'
import { listCourses, listRoles } from '../../accounts/providers/commands.ts'
import {
  type AddedPreset,
  PRESETS,
  providerAddition,
  providerRoleAddition,
} from '../../accounts/providers/operations.ts'
import { adminNames, countAddressesAt, findProviderUse, testedAt } from '../../accounts/providers/overview.ts'
import type { Provider } from '../../accounts/providers/provider.ts'
import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { pathWith, signInWithPath } from '../../web/paths.ts'
import { adminPage } from './nav.ts'

export const PROVIDERS_PATH = '/admin/sign-in' as const

const ROLES = ['learner', 'assistant', 'instructor'] as const
/** Steps of the instructions, of which each kind has the first few: providers.steps.KIND.N. */
const STEPS = [1, 2, 3, 4, 5]

export const showProviders = adminPage('admin/providers', PROVIDERS_PATH, async (context) => {
  const { t, db, server } = context
  const timeZone = await context.timeZone()
  const [all, use] = [await server.providers.all(), await findProviderUse(db)]
  return {
    title: t('providers.title'),
    providers: all.map(({ id, label, preset, isOn, connection }, index) => ({
      label,
      preset,
      isOn,
      // The environment's may be gone.
      isReady: connection !== null,
      people: use.get(id)?.people ?? 0,
      lastUsed: moment(use.get(id)?.lastUsedAt ?? null, timeZone, t),
      path: `${PROVIDERS_PATH}/${id}`,
      isFirst: index === 0,
      isLast: index === all.length - 1,
    })),
    presets: PRESETS.map((preset) => ({ preset, path: pathWith(`${PROVIDERS_PATH}/new`, { preset }) })),
  }
})

/** As its form begins. */
export const LABELS: Readonly<Record<AddedPreset, string>> = {
  google: 'Google',
  entra: 'Microsoft',
  keycloak: '',
  github: 'GitHub',
  openid: '',
}

/** What is shown of a provider that was added. */
async function savedOf(context: PageContext, provider: Provider, roleForm: FormState) {
  const { t, formFields, db, config } = context
  const path = `${PROVIDERS_PATH}/${provider.id}`
  const address = `${config.baseUrl}${signInWithPath(provider.name)}`
  const courses = await listCourses(db)
  const { value, course, role } = providerRoleAddition.input
  return {
    path,
    isOn: provider.isOn,
    hasSecret: provider.connection?.clientSecret != null,
    tested: moment(await testedAt(db, provider.id), await context.timeZone(), t),
    redirect: `${address}/return`,
    logout: `${address}/logout`,
    // How many accounts have addresses at its domains, and would get a second one if it was turned on as it is.
    untrusted:
      provider.isOn || provider.trustsAddresses ? 0 : await countAddressesAt(db, provider.allowedDomains),
    claimsPath: `${path}/claims`,
    // By value of its claim, and the form that adds one.
    roles: await listRoles(db, provider.id),
    roleForm,
    roleFields: formFields('providerRole', { value, course, role }, roleForm, {
      value: { spellcheck: false },
      course: { options: courses },
      role: { options: ROLES.map((name) => ({ value: name, text: t(`members.role.${name}`) })) },
    }),
    hasCourses: courses.length > 0,
  }
}

/** A provider, or another one. `saved`: null where it is not added yet. */
export const showForm = adminPage(
  'admin/provider',
  PROVIDERS_PATH,
  async (
    context,
    added: Provider | AddedPreset,
    sent: FormState = freshForm(),
    roleForm: FormState = freshForm(),
  ) => {
    const { t, db, formFields } = context
    const { preset: _, ...fields } = providerAddition.input
    const [provider, preset] = typeof added === 'string' ? [null, added] : [added, added.preset]
    const saved = provider === null ? null : await savedOf(context, provider, roleForm)
    // An error in another form of the page leaves the settings as they are.
    const isOther = provider !== null && Object.keys(sent.typed).length === 0
    const form = isOther ? { ...sent, typed: typedOf(provider) } : sent
    const path = saved?.path ?? PROVIDERS_PATH
    return {
      title: form.typed.label || t(`providers.preset.${preset}`),
      ...{ preset, form, saved },
      action: preset === 'environment' ? `${path}/options` : path,
      ...(await askingOf(context)),
      steps: STEPS.map((step) => `providers.steps.${preset}.${step}`)
        .filter(hasMessage)
        .map((key) => t(key)),
      fields: formFields('provider', fields, form, {
        issuer: { type: 'url', hintValues: { preset }, required: true, maxlength: 500, spellcheck: false },
        client_id: { autocomplete: 'off', spellcheck: false },
        client_secret: { hintValues: { isKept: String(saved?.hasSecret) }, optional: false },
        domains: { spellcheck: false },
        required: { hintValues: { admins: (await adminNames(db)).join(', ') } },
        claim: { spellcheck: false },
        scopes: { maxlength: 1000, spellcheck: false },
      }),
    }
  },
)

/** A secret is never sent back. */
function typedOf(provider: Provider): Record<string, string> {
  const { connection } = provider
  const tick = (is: boolean) => (is ? '1' : '')
  return {
    label: provider.label,
    issuer: connection?.kind === 'openid' ? connection.issuer : '',
    client_id: connection?.clientId ?? '',
    domains: provider.allowedDomains.join(', '),
    creates: tick(provider.createsAccounts),
    trusts: tick(provider.trustsAddresses),
    factor: tick(provider.acceptsFactor),
    required: tick(provider.isRequired),
    claim: provider.roleClaim ?? '',
    scopes: provider.scopes.join(' '),
  }
}

function moment(at: Date | null, timeZone: string, t: Translate): Moment | null {
  return at === null ? null : writtenMoment(at, timeZone, t)
}

export type ButtonKey =
  | `providers.${'up' | 'down'}`
  | `providers.state.${'turnOn' | 'turnOff'}`
  | `providers.${'remove' | 'test'}.button`
  | 'providers.role.add'

/** Asks for the password before a button's act is done; what the form had comes along. */
export const showConfirmation = adminPage(
  'admin/confirm-provider',
  PROVIDERS_PATH,
  async (context, action: string, provider: Provider, button: ButtonKey, form: FormState) => ({
    title: context.t('providers.confirm.title'),
    ...(await askingOf(context)),
    form,
    action,
    label: provider.label,
    button: context.t(button),
    // Sent again with the password.
    sent: Object.entries(form.typed).map(([name, value]) => ({ name, value })),
    backPath: `${PROVIDERS_PATH}/${provider.id}`,
  }),
)
