import { type FormState, refuse } from '../../web/form.ts'
import type { AskableCourse } from '../courses/choices.ts'

/** The ask form, refused where its text is the template that it began with; null: it is not. */
export function untouched(course: AskableCourse, form: FormState): FormState | null {
  return isUntouched(form.typed.body ?? '', course)
    ? refuse(form, 'body', 'questions.template.untouched')
    : null
}

/** Blank lines and spaces make no difference. */
function isUntouched(body: string, { questionTemplate }: AskableCourse): boolean {
  return questionTemplate !== '' && wordsOf(body) === wordsOf(questionTemplate)
}

function wordsOf(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/gu, ' ')
}
