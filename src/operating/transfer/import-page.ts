import { askingOf } from '../../accounts/identity/reauthentication.ts'
import { runningPage } from '../../forum/course-settings/nav.ts'
import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { momentOf } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { coursePath, courseSettingsPath } from '../../web/paths.ts'
import { type BroughtImport, importBringing, importStart, importsOf, SOURCE_NAMES } from './brought-import.ts'
import { exportPath } from './export-page.ts'
import { saidOn } from './said.ts'
import { toldOn } from './told.ts'

export const importPath = (slug: string) => `${courseSettingsPath(slug)}/import`

/** The file that is brought into a course, what would come of it, and what came before: views/transfer/import.eta. */
export const showImports = runningPage(
  'transfer/import',
  'transfer',
  {},
  async (context, form: FormState = freshForm({ source: '' })) => {
    const { t, db, course, config, formFields } = context
    const path = importPath(course.slug)
    const timeZone = await context.timeZone()
    const all = await importsOf(db, course.id)
    const current = all.find(({ ended_at: endedAt }) => endedAt === null)
    return {
      title: t('transfer.import.title'),
      ...{ form, path },
      max: config.importMaxBytes / 1024 / 1024,
      fields: formFields('transfer', { source: importBringing.input.source }, form, {
        source: {
          required: true,
          options: ['', ...SOURCE_NAMES].map((value) => ({ value, text: sourceText(t, value) })),
        },
      }),
      ...(await askingOf(context, 'key')),
      isOpen: current === undefined && !course.isArchived,
      current: current === undefined ? null : currentOf(context, current, path),
      past: all
        .filter(({ ended_at: endedAt }) => endedAt !== null)
        .map((brought) => ({
          ...fileOf(t, brought),
          at: momentOf(brought.brought_at, timeZone),
          // What came may be taken back, by the command too.
          state: t(`transfer.import.${(brought.state === 'shown' && brought.runState) || brought.state}`),
          path: brought.state === 'shown' ? `${path}/${brought.id}` : null,
          problem: brought.problem === null ? null : saidOn(t, brought.problem),
          told: brought.state === 'shown' ? toldOn(t, brought.told) : null,
        })),
      coursePath: coursePath(course.slug),
      exportPath: exportPath(course.slug),
      head: { about: course.title },
    }
  },
)

type ImportContext = Parameters<Parameters<typeof runningPage>[3]>[0]

/** An import under way: how far it is, or what its dry run told and asks. */
function currentOf({ t, formFields }: ImportContext, brought: BroughtImport, path: string) {
  const { id, state, step, done, total, source } = brought
  const told = state === 'tried' ? toldOn(t, brought.told) : null
  const fields = formFields('transfer', importStart.input, freshForm({ anonymous: 'drop', groups: 'hold' }))
  const percent = total === 0 ? 0 : Math.floor((done * 100) / total)
  return {
    ...fileOf(t, brought),
    said: t(`transfer.import.${state}`),
    progress: step === 0 || state === 'tried' ? '' : t('transfer.import.progress', { step, percent }),
    told,
    choices: [
      ...(told?.asks ?? []).map((asked) => fields[asked]),
      // An export of Handup has its pictures in it.
      ...(source === 'handup' ? [] : [fields.pictures]),
    ],
    startPath: state === 'tried' ? `${path}/${id}/start` : null,
    undoPath: state === 'importing' ? null : `${path}/${id}/undo`,
  }
}

const fileOf = (t: Translate, { file_name: name, source }: BroughtImport) => ({
  name,
  source: source === null ? null : sourceText(t, source),
})

/** Names are the same in every language: one without a message is shown as it is. */
function sourceText(t: Translate, source: string): string {
  const key = `transfer.source.${source === '' ? 'any' : source}`
  return hasMessage(key) ? t(key) : source
}
