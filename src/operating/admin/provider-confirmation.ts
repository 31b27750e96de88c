import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Asking, askingOf } from '../../accounts/identity/password-again.ts'
import type { Provider } from '../../accounts/providers/provider.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { ADMIN_HEAD, adminNav, type InAdmin } from './nav.ts'
import { PROVIDERS_PATH } from './provider-page.ts'

/** The buttons that do something to a provider at once. */
export type ButtonKey =
  | `providers.${'up' | 'down'}`
  | `providers.state.${'turnOn' | 'turnOff'}`
  | `providers.${'remove' | 'test'}.button`
  | 'providers.role.add'

interface ConfirmationPage extends InAdmin, Asking {
  readonly form: FormState
  readonly action: string
  /** Of the provider. */
  readonly label: string
  /** What was pressed. */
  readonly button: string
  /** Sent again with the password. */
  readonly sent: readonly { readonly name: string; readonly value: string }[]
  readonly backPath: string
}

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
  return reply.page<ConfirmationPage>(
    'admin/confirm-provider',
    {
      title: t('providers.confirm.title'),
      ...adminNav(request, PROVIDERS_PATH),
      ...(await askingOf(request, request.requirePerson())),
      form,
      action: request.url,
      label: provider.label,
      button: t(button),
      sent: Object.entries(form.typed).map(([name, value]) => ({ name, value })),
      backPath: `${PROVIDERS_PATH}/${provider.id}`,
    },
    { ...ADMIN_HEAD, status },
  )
}
