import type { FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { type FormState, freshForm, refuse, typedFields } from '../../web/form.ts'
import { versionOf } from '../questions/version.ts'
import { changePolicy, type PolicyPlace } from './commands.ts'
import { POLICY_BODY, policyForm } from './form.ts'
import type { Policy } from './queries.ts'
import { suggestedText } from './suggestions.ts'

/** The form of a page's text: views/policies/_form.eta. */
export interface PolicyFormView {
  readonly form: FormState
  readonly action: string
  readonly version: number
  /** What somebody else saved meanwhile; null: nobody did. */
  readonly theirs: { readonly body: string } | null
  readonly max: number
}

/** A page whose text is edited, and how it is shown with its form. */
export interface Editing {
  readonly place: PolicyPlace
  /** As it is; null: nobody has written it. */
  readonly find: () => Promise<Policy | null>
  readonly path: string
  readonly show: (form: PolicyFormView, status: number) => Promise<FastifyReply | string>
}

/** Shows the form, with what was typed before signing in. */
export async function showPolicyForm(request: FastifyRequest, { find, path, show }: Editing) {
  const policy = await find()
  const kept = await findKeptForm(request)
  const form = restoredForm(request, kept, { body: policy?.body ?? '' })
  const version = kept === null ? null : versionOf(kept)
  return show(formView(path, form, version ?? policy?.version ?? 0), 200)
}

/** Takes a form: saves the text, or fills in the suggested one, which is saved by a form of its own. */
export async function takePolicyForm(request: FastifyRequest, reply: FastifyReply, editing: Editing) {
  const { place, find, path, show } = editing
  const form = policyForm.parse(request.body)
  const version = versionOf(request.body) ?? 0
  if (typedFields(request.body).suggest === '1') {
    const body = await suggestedText(place, request.server.config)
    return show(formView(path, freshForm({ body }), version), 200)
  }
  if (!form.ok) return show(formView(path, form, version), 422)
  const { body } = form.values
  if ((await changePolicy(request.server.db, place, body, version)) === 'conflict') {
    const now = await find()
    if (now?.body !== body) {
      const refused = refuse(form, 'body', 'posts.conflict.summary')
      const theirs = { body: now?.body ?? '' }
      return show({ ...formView(path, refused, now?.version ?? 0), theirs }, 409)
    }
  }
  const { courseId, name, language } = place
  noteEvent(request, 'policy-changed', { courseId, name, language })
  return reply.flash('policies.flash.saved').redirect(path, 303)
}

function formView(action: string, form: FormState, version: number): PolicyFormView {
  return { form, action, version, theirs: null, max: POLICY_BODY.max }
}
