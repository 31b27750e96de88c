import type { FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import type { Write } from '../../database/schema.ts'
import { type FormState, typedIn } from '../../web/form.ts'
import { queryParam } from '../../web/params.ts'
import { endDraft, findDraftById } from './draft.ts'
import { draftFormAt } from './text-form.ts'

/**
 * What the address brings back into a form: `kept` names a form that waited for its author to sign in, `draft` one of the
 * person's drafts.
 * @param action where the form is posted: a draft of another form is not for this one
 * @returns `deletePath`: where the draft is deleted; null: it comes from a form that waited
 */
export async function findTypedBefore(request: FastifyRequest, action: string) {
  const kept = await findKeptForm(request)
  if (kept !== null) return { fields: kept, deletePath: null }
  const id = queryParam(request, 'draft')
  if (request.person === null || id === null || !/^[1-9]\d{0,14}$/.test(id)) return null
  const draft = await findDraftById(request.server.db, request.person.id, Number(id))
  if (draft === null || draftFormAt(draft.place)?.action !== action) return null
  // In a form that edits, `version` is the post's; the draft's own has that name where it is saved.
  const { base_version: version, ...fields } = draft.fields
  return {
    fields: version === undefined ? fields : { ...fields, version },
    deletePath: `/drafts/${id}/delete?back=form`,
  }
}

/** The form that opens with text from before, saying so; or a fresh one with these values. */
export function reopenedForm(
  request: FastifyRequest,
  before: Awaited<ReturnType<typeof findTypedBefore>>,
  values: Record<string, string> = {},
): FormState {
  const state = restoredForm(request, before?.fields ?? null, values)
  return before?.deletePath ? { ...state, deleteDraftPath: before.deletePath } : state
}

export const endsDraft =
  (place: (request: FastifyRequest) => string) =>
  (write: Write, request: FastifyRequest): Promise<void> =>
    endDraft(write, request.requirePerson().id, place(request), typedIn(request.body, ['title', 'body']))
