import type { FastifyReply, FastifyRequest } from 'fastify'
import { askingOf } from '../../accounts/identity/reauthentication.ts'
import { listCourses, listRoles } from '../../accounts/providers/commands.ts'
import type { AddedPreset } from '../../accounts/providers/operations.ts'
import { adminNames, countAddressesAt, findProviderUse, testedAt } from '../../accounts/providers/overview.ts'
import type { Provider } from '../../accounts/providers/provider.ts'
import type { Preset } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { pathWith, signInWithPath } from '../../web/paths.ts'
import { ADMIN_HEAD, adminNav } from './nav.ts'

export const PROVIDERS_PATH = '/admin/sign-in' as const

const ROLES = ['learner', 'assistant', 'instructor'] as const
const PRESETS: readonly AddedPreset[] = ['google', 'entra', 'keycloak', 'github', 'openid']
/** How many steps the instructions of each kind have: providers.steps.KIND.N. */
const STEPS: Readonly<Record<Preset, number>> = {
  environment: 1,
  google: 4,
  entra: 5,
  keycloak: 4,
  github: 3,
  openid: 3,
}

export async function showProviders(request: FastifyRequest, reply: FastifyReply) {
  const { db, providers } = request.server
  const t = translatorFor(request)
  const timeZone = await request.server.timeZoneFor(request)
  const [all, use] = [await providers.all(), await findProviderUse(db)]
  return reply.page(
    'admin/providers',
    {
      title: t('providers.title'),
      ...adminNav(contextOf(request), PROVIDERS_PATH),
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
    },
    ADMIN_HEAD,
  )
}

export async function showNewProvider(
  request: FastifyRequest,
  reply: FastifyReply,
  preset: AddedPreset,
  form: FormState = freshForm({ creates: '1', label: LABELS[preset] }),
  status = 200,
) {
  return showForm(request, reply, { preset, form, action: PROVIDERS_PATH, saved: null }, status)
}

const LABELS: Readonly<Record<AddedPreset, string>> = {
  google: 'Google',
  entra: 'Microsoft',
  keycloak: '',
  github: 'GitHub',
  openid: '',
}

export async function showProvider(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  form: FormState = freshForm(),
  status = 200,
  roleForm: FormState = freshForm(),
) {
  const path = `${PROVIDERS_PATH}/${provider.id}`
  const saved = await savedOf(request, provider, path, roleForm)
  const isOfEnvironment = provider.preset === 'environment'
  const action = isOfEnvironment ? `${path}/options` : path
  // An error in another form of the page leaves the settings as they are.
  const shown = Object.keys(form.typed).length === 0 ? { ...form, typed: typedOf(provider) } : form
  return showForm(request, reply, { preset: provider.preset, form: shown, action, saved }, status)
}

/** What is shown of a provider that was added. */
async function savedOf(request: FastifyRequest, provider: Provider, path: string, roleForm: FormState) {
  const t = translatorFor(request)
  const { db, config } = request.server
  const address = `${config.baseUrl}${signInWithPath(provider.name)}`
  return {
    path,
    isOn: provider.isOn,
    hasSecret: provider.connection?.clientSecret != null,
    tested: moment(await testedAt(db, provider.id), await request.server.timeZoneFor(request), t),
    redirect: `${address}/return`,
    logout: `${address}/logout`,
    // How many accounts have addresses at its domains, and would get a second one if it was turned on as it is.
    untrusted:
      provider.isOn || provider.trustsAddresses ? 0 : await countAddressesAt(db, provider.allowedDomains),
    claimsPath: `${path}/claims`,
    // By value of its claim, and the form that adds one.
    roles: await listRoles(db, provider.id),
    roleForm,
    courses: (await listCourses(db)).map((course) => ({
      ...course,
      selected: course.value === roleForm.typed.course,
    })),
    roleOptions: ROLES.map((value) => ({
      value,
      text: t(`members.role.${value}`),
      selected: value === roleForm.typed.role,
    })),
  }
}

type Saved = Awaited<ReturnType<typeof savedOf>>

/** @param page `saved`: null where it is not added yet */
export async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { preset: Preset; form: FormState; action: string; saved: Saved | null },
  status: number,
) {
  const t = translatorFor(request)
  const { preset, form } = page
  const steps = Array.from({ length: STEPS[preset] }, (_, index) =>
    t(`providers.steps.${preset}.${index + 1}`),
  )
  return reply.page(
    'admin/provider',
    {
      title: form.typed.label || t(`providers.preset.${preset}`),
      ...page,
      ...adminNav(contextOf(request), PROVIDERS_PATH),
      ...(await askingOf(contextOf(request))),
      steps,
      admins: (await adminNames(request.server.db)).join(', '),
    },
    { ...ADMIN_HEAD, status },
  )
}

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
export async function showConfirmation(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  button: ButtonKey,
  form: FormState,
  status: number,
) {
  const t = translatorFor(request)
  return reply.page(
    'admin/confirm-provider',
    {
      title: t('providers.confirm.title'),
      ...adminNav(contextOf(request), PROVIDERS_PATH),
      ...(await askingOf(contextOf(request))),
      form,
      action: request.url,
      label: provider.label,
      button: t(button),
      // Sent again with the password.
      sent: Object.entries(form.typed).map(([name, value]) => ({ name, value })),
      backPath: `${PROVIDERS_PATH}/${provider.id}`,
    },
    { ...ADMIN_HEAD, status },
  )
}
