import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { makeCategory, removeCategory, renameCategory } from './category-commands.ts'
import { categoryForm } from './form.ts'
import { type RunningPlace, runningNav } from './nav.ts'
import { listCategories } from './queries.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'course-settings/categories': CategoriesPage
  }
}

export interface CategoriesPage {
  readonly nav: readonly RunningPlace[]
  readonly action: string
  readonly form: FormState
  readonly categories: readonly {
    readonly name: string
    /** Where it is renamed; null: the first one, which stays. */
    readonly action: string | null
    readonly form: FormState
  }[]
}

interface Refused {
  /** null: the new one. */
  readonly id: number | null
  readonly form: FormState
}

/** The categories of a course. */
export function registerCategories(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => categoriesPath(textParam(request, 'course'))
  const config = { limit: 'posting', needsPerson: true, formPage } as const

  app.get('/courses/:course/categories', async (request, reply) =>
    showCategories(request, reply, await courseFor(request, 'manage'), null),
  )

  app.post('/courses/:course/categories', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const form = categoryForm.parse(request.body)
    if (!form.ok) return showCategories(request, reply, course, { id: null, form })
    await makeCategory(app.db, course.id, form.values.name)
    return done(request, reply, course)
  })

  app.post('/courses/:course/categories/:id', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const id = idParam(request, 'id')
    const form = categoryForm.parse(request.body)
    if (!form.ok) return showCategories(request, reply, course, { id, form })
    if (!(await renameCategory(app.db, course.id, id, form.values.name))) throw notFound()
    return done(request, reply, course)
  })

  app.post('/courses/:course/categories/:id/removal', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    if (!(await removeCategory(app.db, course.id, idParam(request, 'id')))) throw notFound()
    return done(request, reply, course)
  })
}

function done(request: FastifyRequest, reply: FastifyReply, { id: courseId, slug }: Course) {
  noteEvent(request, 'course-categories-changed', { courseId })
  return reply.flash('courseSettings.flash.saved').redirect(categoriesPath(slug), 303)
}

async function showCategories(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  refused: Refused | null,
) {
  const t = translatorOf(languageOfRequest(request))
  const categories = await listCategories(request.server.db, course.id)
  const action = categoriesPath(course.slug)
  return reply.page(
    'course-settings/categories',
    {
      title: t('courseSettings.categories.title'),
      nav: runningNav(request, course.slug, 'categories'),
      action,
      form: refused?.id === null ? refused.form : freshForm(),
      categories: categories.map(({ id, slug, name }) => ({
        name: slug === DEFAULT_CATEGORY.slug ? t('questions.category.default') : name,
        action: slug === DEFAULT_CATEGORY.slug ? null : `${action}/${id}`,
        form: refused?.id === id ? refused.form : freshForm({ name }),
      })),
    },
    {
      status: refused === null ? 200 : 422,
      course: course.slug,
      bar: await barOf(request, course, 'settings'),
      isForStaff: true,
    },
  )
}

const categoriesPath = (slug: string) => `${coursePath(slug)}/categories`
