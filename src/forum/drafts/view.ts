import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Draft, ListedDraft } from './draft.ts'
import { draftFormAt } from './text-form.ts'

/** Characters of a text in the list. */
const EXCERPT_LENGTH = 200

/** `title`: of what is asked, or of the question that it belongs to; empty: there is none, or it may not be told. */
export function draftView(draft: ListedDraft, timeZone: string, t: Translate) {
  const form = draftFormAt(draft.place)
  const kind = form?.action === '/questions' ? 'ask' : kindOf(draft.place)
  return {
    kind,
    title: kind === 'ask' || kind === 'announcement' ? (draft.fields.title ?? '') : (draft.question ?? ''),
    course: draft.course,
    excerpt: beginningOf(draft.fields.body ?? ''),
    savedAt: writtenMoment(draft.saved_at, timeZone, t),
    path: draftPath(draft),
    deletePath: `/drafts/${draft.id}/delete`,
  }
}

function beginningOf(text: string): string {
  const characters = [...text]
  if (characters.length <= EXCERPT_LENGTH) return text
  return `${characters.slice(0, EXCERPT_LENGTH).join('').trimEnd()}…`
}

function kindOf(place: string): 'answer' | 'reply' | 'edit' | 'announcement' {
  if (place.includes('/announcements/')) return 'announcement'
  if (place.endsWith('/edit')) return 'edit'
  return place.endsWith('/answers') ? 'answer' : 'reply'
}

export function draftPath(draft: Draft): string {
  const [address = '/drafts', fragment] = (draftFormAt(draft.place)?.page ?? '/drafts').split('#')
  const withDraft = `${address}${address.includes('?') ? '&' : '?'}draft=${draft.id}`
  return fragment === undefined ? withDraft : `${withDraft}#${fragment}`
}

export function draftText(fields: Readonly<Record<string, string>>): string {
  return [fields.title, fields.body].filter(Boolean).join('\n\n')
}
