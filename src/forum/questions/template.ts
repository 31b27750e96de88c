import type { AskableCourse } from '../courses/choices.ts'

/** Whether a text is the template that it began with: blank lines and spaces make no difference. */
export function isUntouched(
  body: string,
  { questionTemplate }: Pick<AskableCourse, 'questionTemplate'>,
): boolean {
  return questionTemplate !== '' && wordsOf(body) === wordsOf(questionTemplate)
}

function wordsOf(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/gu, ' ')
}
