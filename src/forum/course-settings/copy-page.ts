import { type FormState, freshForm } from '../../web/form.ts'
import { coursePath } from '../../web/paths.ts'
import { answeredQuestions, BROUGHT, boxesOf } from './brought-questions.ts'
import { courseCopy } from './copy.ts'
import { runningPage } from './nav.ts'

// The other fields are drawn one by one.
const { title, names } = courseCopy.input

/** What can be done with a whole course: views/course-settings/copy.eta. */
export const showCopy = runningPage(
  'course-settings/copy',
  'copy',
  {},
  async ({ t, formFields, db, course }, form: FormState = freshForm({ title: course.title })) => {
    const path = coursePath(course.slug)
    const { all, lectures, tags } = await answeredQuestions(db, course.id)
    const begun = BROUGHT.find((value) => value === form.typed.questions) ?? 'none'
    const fault = form.errors.find(({ field }) => field === 'lecture')?.message
    const boxes = (
      name: 'lecture' | 'tag',
      of: readonly { value: string; text: string; count: number }[],
    ) => {
      const chosen = boxesOf(form.typed[name])
      const counted = of.map(({ value, text, count }) => ({
        ...{ value, text: t('courseCopy.counted', { text, count }) },
        isChosen: chosen.includes(value),
      }))
      return of.length === 0 ? [] : [{ name, legend: t(`courseCopy.${name}.label`), boxes: counted }]
    }
    return {
      title: t('courseSettings.nav.copy'),
      archive: { action: `${path}/archive`, isArchived: course.isArchived },
      copy: {
        action: `${path}/copy`,
        form,
        fields: formFields('courseCopy', { title, names }, form),
        legend: t('courseCopy.questions.label'),
        hasQuestions: all > 0,
        questions: BROUGHT.map((value) => ({
          value,
          text: t(`courseCopy.questions.${value}`, { count: all }),
          isChosen: value === begun,
        })),
        fault: fault && t(fault.key, fault.values),
        choices: [
          ...boxes(
            'lecture',
            lectures.map(({ position, title, count }) => ({
              value: String(position),
              text: t('questions.lecture.option', { position, title }),
              count,
            })),
          ),
          ...boxes(
            'tag',
            tags.map(({ name, count }) => ({ value: name, text: name, count })),
          ),
        ],
      },
    }
  },
)
