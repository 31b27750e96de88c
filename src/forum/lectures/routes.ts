import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { TABLE_FILE_BYTES } from '../../kernel/limits.ts'
import { type FieldError, notFound, Refused } from '../../kernel/problem.ts'
import { languageIn } from '../../text/language.ts'
import { type FormState, freshForm, refuse, sentFields, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { registerMultipart, tableFields } from '../../web/multipart.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath, lecturesPath, pathWith } from '../../web/paths.ts'
import type { LectureTitle } from '../courses/commands.ts'
import { coursePage } from '../courses/course-page.ts'
import { courseFor } from '../courses/find-course.ts'
import type { ReadLectures } from '../courses/lecture-file.ts'
import { askedPositions, listLectures, placed, readList, requireFew } from './commands.ts'
import {
  lectureAdding,
  lectureChange,
  lectureMerger,
  lectureMove,
  lectureRemoval,
  lecturesForm,
  lectureUndoing,
} from './operations.ts'

/** `/courses/:course/lectures`: readers of the course may read it; its staff add some there. */
export function registerLectures(app: FastifyInstance): void {
  registerLecture(app)
  const shared = { config: { shared: { parameters: [], personalParameters: ['kept'], isForMembers: true } } }
  app.get('/courses/:course/lectures', shared, async (request, reply) =>
    showLectures(request, reply, restoredForm(request, await findKeptForm(request))),
  )

  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const formPage = (request: FastifyRequest) => lecturesPath(slugIn(request))
  app.register(async (scope) => {
    await registerMultipart(scope, { file: TABLE_FILE_BYTES })
    openForm(scope, '/courses/:course/lectures', lectureAdding, {
      ...saved,
      key: slugIn,
      formPage,
      keeps: true,
      instead: showWhatIsRead,
      input: (request) => sentFields(tableFields(request, 'lectures').body),
      refused: (request, reply, { errors }) => showAgain(request, reply, errors),
    })
  })
  openForm(app, '/courses/:course/lectures/undo/:change', lectureUndoing, {
    key: (request) => ({ slug: slugIn(request), part: idParam(request, 'change') }),
    formPage,
    done: ({ slug }) => lecturesPath(slug),
    flash: (_, done) => `lectures.flash.${done?.outcome}`,
  })
}

/** A list is read and shown before it is saved; it may be that of a file. */
async function showWhatIsRead(request: FastifyRequest, reply: FastifyReply) {
  await courseFor(request, 'manage')
  const fields = tableFields(request, 'lectures')
  if (fields.refused !== null) return showLectures(request, reply.code(422), fields.refused)
  const form = lecturesForm.parse(fields.body)
  if (!form.ok) return showAgain(request, reply, form.errors)
  const { lectures: text, mode, table: isTable, act } = form.values
  if (act === 'save') return null
  const typed = freshForm({ lectures: text, mode: mode ?? 'add', table: isTable ? '1' : '' })
  if (act === 'edit') return showLectures(request, reply, typed)
  try {
    const read = await readList({ text, isTable })
    return isOneTitle(read, mode) ? null : await showRead(request, reply, read, typed)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return showAgain(request, reply, error.errors)
  }
}

/** With the text as it was read, which may be that of a file. */
async function showAgain(request: FastifyRequest, reply: FastifyReply, errors: readonly FieldError[]) {
  const typed = typedIn(tableFields(request, 'lectures').body, ['lectures', 'mode', 'table'])
  const form = { typed: { ...typed, mode: typed.mode || 'add' }, errors }
  return showLectures(request, reply.code(422), form)
}

/** One title after the others changes nothing that is there: it is saved at once, and can be undone. */
function isOneTitle({ lectures, isNumbered }: ReadLectures, mode: 'add' | 'replace' | null): boolean {
  return lectures.length === 1 && !isNumbered && mode !== 'replace'
}

/** The lectures of a course, in their order, with their questions, and the form that adds some. */
export const showLectures = coursePage(
  'lectures/index',
  { place: 'lectures' },
  async ({ t, db, course, rendering, robots, may }, form: FormState) => {
    const lectures = await listLectures(db, course.id)
    rendering?.dependsOn(`course:${course.id}`)
    const isManager = may('manage')
    const path = lecturesPath(course.slug)
    return {
      title: t('courses.lectures.title'),
      lectures: lectures.map((lecture) => ({
        ...lecture,
        path: pathWith(coursePath(course.slug), { lecture: lecture.position }),
        // Where it is renamed, merged and removed.
        editPath: isManager ? lecturePath(course.slug, lecture.position) : null,
      })),
      adding: isManager ? { action: path, form } : null,
      head: {
        canonical: path,
        robots,
        isForStaff: isManager,
        script: isManager ? ('running' as const) : undefined,
      },
    }
  },
)

/**
 * What saving a list would do, before anything is saved.
 * @param typed what is sent again to be saved
 * @throws Refused
 */
export const showRead = coursePage(
  'lectures/read',
  { right: 'manage', place: 'lectures', isForStaff: true },
  async ({ t, db, course }, read: ReadLectures, { typed }: FormState) => {
    const mode = typed.mode === 'replace' ? 'replace' : 'add'
    const there = await listLectures(db, course.id)
    const lines = effectsOf(read, there, await askedPositions(db, course.id), mode)
    const count = (effect: string) => lines.filter((line) => line.effect === effect).length
    const counts = {
      new: count('new'),
      renamed: count('renamed'),
      same: count('same'),
      deleted: count('deleted'),
      kept: count('kept'),
    }
    requireFew(mode === 'replace' ? lines.length - counts.deleted : there.length + counts.new)
    return { title: t('lectures.read.title'), action: lecturesPath(course.slug), typed, lines, counts }
  },
)

/**
 * What saving a list would make of the lectures of a course. In `replace`, those that are not named are
 * deleted, but for those with questions: `asked`.
 * @returns by position
 * @throws Refused
 */
function effectsOf(
  read: ReadLectures,
  there: readonly LectureTitle[],
  asked: ReadonlySet<number>,
  mode: 'add' | 'replace',
) {
  const named = mode === 'add' ? placed(read, there) : read.lectures
  const today = new Map(there.map((one) => [one.position, one]))
  const taken = new Set(named.map(({ position }) => position))
  const lines = named.map(({ position, title }) => {
    const former = today.get(position)?.title ?? null
    const effect = former === null ? 'new' : former === title ? 'same' : 'renamed'
    return { position, title, effect, former: effect === 'renamed' ? former : null }
  })
  const others = there
    .filter(({ position }) => mode === 'replace' && !taken.has(position))
    .map((one) => ({ ...one, effect: asked.has(one.position) ? 'kept' : 'deleted', former: null }))
  return [...lines, ...others].sort((one, other) => one.position - other.position)
}

const lecturePath = (slug: string, position: number) => `${lecturesPath(slug)}/${position}`

/** Back to the list, with a way to undo a change. */
const saved = {
  done: ({ slug }: { readonly slug: string }) => lecturesPath(slug),
  flash: (_: FastifyRequest, saved: { readonly slug: string; readonly change: number | null } | null) => ({
    said: 'lectures.flash.saved',
    act: saved?.change == null ? undefined : `${lecturesPath(saved.slug)}/undo/${saved.change}`,
  }),
}

function registerLecture(app: FastifyInstance): void {
  const path = '/courses/:course/lectures/:position'
  const key = (request: FastifyRequest) => ({
    slug: textParam(request, 'course'),
    part: idParam(request, 'position'),
  })
  const formPage = (request: FastifyRequest) => lecturePath(key(request).slug, key(request).part)
  const shared = { ...saved, key, formPage }

  app.get(path, (request, reply) => showLecture(request, reply))
  openForm(app, path, lectureChange, { ...shared, keeps: true, refused: showLecture })
  openForm(app, `${path}/move`, lectureMove, {
    ...shared,
    flash: (request, done) => ({
      ...saved.flash(request, done),
      ...(done?.position != null && {
        said: [{ key: 'lectures.flash.moved', values: { position: done.position } }],
      }),
    }),
    // Its menu gets the focus: it may move on.
    done: ({ slug, position }) => `${lecturesPath(slug)}${position === null ? '' : `#lecture-${position}`}`,
    refused: async () => {
      throw notFound()
    },
  })
  const refusedFor = (field: string) => (request: FastifyRequest, reply: FastifyReply) =>
    showLecture(request, reply, refuse(freshForm(), field, 'lectures.into.unknown'))
  openForm(app, `${path}/merger`, lectureMerger, { ...shared, refused: refusedFor('merger') })
  openForm(app, `${path}/removal`, lectureRemoval, { ...shared, refused: refusedFor('removal') })
}

/** One lecture, and what can be done with it. @throws Problem 404 */
export const showLecture = coursePage(
  'lectures/edit',
  { right: 'manage', place: 'lectures', isForStaff: true },
  async ({ t, formFields, db, course, params }, { typed, errors }: FormState = freshForm()) => {
    const at = idParam({ params }, 'position')
    const lectures = await listLectures(db, course.id)
    const lecture = lectures.find(({ position }) => position === at)
    if (lecture === undefined) throw notFound()
    const form = { typed: { title: lecture.title, position: String(at), ...typed }, errors }
    return {
      title: t('lectures.edit.title', { position: at }),
      form,
      fields: formFields('lectures', lectureChange.input, form, { position: { autocomplete: 'off' } }),
      action: lecturePath(course.slug, at),
      backPath: lecturesPath(course.slug),
      questionsCount: lecture.questions_count,
      others: lectures
        .filter((one) => one !== lecture)
        .map(({ position, title }) => ({
          value: String(position),
          text: t('questions.lecture.option', { position, title }),
          lang: languageIn(course.language, title),
          selected: false,
        })),
    }
  },
)
