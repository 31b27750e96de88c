import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import { type RunningPlace, runningNav } from './nav.ts'
import { categoryChange, categoryMaking, categoryRemoval } from './operations.ts'
import { listCategories } from './queries.ts'

interface CategoriesPage {
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

export function registerCategories(app: FastifyInstance): void {
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const partIn = (request: FastifyRequest) => ({ slug: slugIn(request), part: idParam(request, 'id') })
  const shared = {
    formPage: (request: FastifyRequest) => categoriesPath(slugIn(request)),
    done: ({ slug }: { readonly slug: string }) => categoriesPath(slug),
    flash: () => 'courseSettings.flash.saved',
  }
  app.get('/courses/:course/categories', async (request, reply) => showCategories(request, reply, null))
  openForm(app, '/courses/:course/categories', categoryMaking, {
    ...shared,
    key: slugIn,
    refused: (request, reply, form) => showCategories(request, reply, { id: null, form }),
  })
  openForm(app, '/courses/:course/categories/:id', categoryChange, {
    ...shared,
    key: partIn,
    refused: (request, reply, form) => showCategories(request, reply, { id: partIn(request).part, form }),
  })
  openForm(app, '/courses/:course/categories/:id/removal', categoryRemoval, { ...shared, key: partIn })
}

async function showCategories(request: FastifyRequest, reply: FastifyReply, refused: Refused | null) {
  const course = await courseFor(request, 'manage')
  const t = translatorFor(request)
  const categories = await listCategories(request.server.db, course.id)
  const action = categoriesPath(course.slug)
  return reply.page<CategoriesPage>(
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
      script: 'settings',
    },
  )
}

const categoriesPath = (slug: string) => `${coursePath(slug)}/categories`
