import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseFormOfStranger } from '../../accounts/identity/reauthentication.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import { wasAway } from '../../forum/pictures/upload.ts'
import { Problem } from '../../kernel/problem.ts'
import { form, refuse, sentFields, typedIn } from '../../web/form.ts'
import { formOf, openForm, openForms } from '../../web/forms/door.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { idParam, textParam } from '../../web/params.ts'
import { allowTime } from '../../web/transport/front.ts'
import { importTakingBack } from '../exchange/taking-back.ts'
import { importBringing, importDiscarding, importStart, keepUpload, removeFiles } from './brought-import.ts'
import { registerExports } from './export-page.ts'
import { importKind } from './import-job.ts'
import { importPath, showImports } from './import-page.ts'
import { isRead, registerRedirects, runOf, showShownImport } from './shown-import.ts'

const PATH = '/courses/:course/settings/import' as const
const AWAY_SECONDS = 30

const slugIn = (request: FastifyRequest) => textParam(request, 'course')
const formPage = (request: FastifyRequest) => importPath(slugIn(request))
const done = ({ slug }: { readonly slug: string }) => importPath(slug)
const bringingForm = form({ source: importBringing.input.source })

/** What goes out of a course, and what comes in, by its instructors. */
export function registerTransfer(app: FastifyInstance): void {
  registerExports(app)
  const { db, pictures: store } = app
  if (app.changes !== null) app.jobs.start(importKind(db, store))
  app.get(PATH, (request, reply) => showImports(request, reply))
  registerBringing(app)

  const key = (request: FastifyRequest) => ({ slug: slugIn(request), part: idParam(request, 'run') })
  openForm(app, `${PATH}/:run/start`, importStart, {
    ...{ key, formPage, done },
    flash: () => 'transfer.import.started',
    refused: (request, reply) => showImports(request, reply),
  })
  const discarding = formOf(importDiscarding, {
    ...{ key, formPage, done },
    async afterwards(_request, { id }) {
      await removeFiles(db, store, id)
    },
    flash: () => 'transfer.import.discarded',
  })
  const takingBack = formOf(importTakingBack, {
    ...{ formPage, done },
    async key(request) {
      const { id } = await courseFor(request, 'import-posts')
      return { slug: slugIn(request), part: (await runOf(db, id, idParam(request, 'run'))).id }
    },
    flash: () => 'transfer.shown.flash',
    refused: showShownImport,
  })
  openForms(app, `${PATH}/:run/undo`, [discarding, takingBack], async (request) =>
    (await isRead(db, idParam(request, 'run'))) ? takingBack : discarding,
  )
  app.get(`${PATH}/:run`, (request, reply) => showShownImport(request, reply))
  registerRedirects(app, PATH)
}

/** A form of its own: its file goes to the disk, whatever its size, once it is known that its sender may bring one. */
function registerBringing(app: FastifyInstance): void {
  const { db, pictures: store, config } = app
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      if (request.person === null) return
      await courseFor(request, 'import-posts')
      allowTime(request.raw)
    })
    await registerMultipart(scope, { file: config.importMaxBytes, isLarge: true })
    openForm(scope, PATH, importBringing, {
      key: slugIn,
      formPage,
      instead: refuseFile,
      input: ({ body, upload }) => ({ ...sentFields(body), file_name: nameOf(upload?.name) }),
      async afterwards(request, brought) {
        try {
          await keepUpload(db, store, brought, request.upload?.path ?? '')
        } catch (error) {
          throw wasAway(request, error) ? new Problem('unavailable', AWAY_SECONDS) : error
        }
      },
      done,
      flash: () => 'transfer.import.brought',
      refused: showImports,
    })
  })
}

/** The form again where there is no file, one that is too large, or nobody who showed who they are. */
async function refuseFile(request: FastifyRequest, reply: FastifyReply) {
  await courseFor(request, 'import-posts')
  const refusal = await refuseFormOfStranger(request, reply, bringingForm, showImports, 'key')
  if (refusal !== null) return refusal
  const sent = { typed: typedIn(request.body, ['source']), errors: [] }
  const { upload, server } = request
  if (upload === null || upload.name === '')
    return showImports(request, reply.code(422), refuse(sent, 'file', 'transfer.file.missing'))
  if (!upload.isTooLarge) return null
  const max = server.config.importMaxBytes / 1024 / 1024
  return showImports(request, reply.code(413), refuse(sent, 'file', 'transfer.file.large', { max }))
}

/** Without folders, which browsers of old send, and what no line may have; never empty. */
const nameOf = (name = '') =>
  (name.split(/[/\\]/).at(-1) ?? '').slice(-200).replace(/\p{C}/gu, '').trim() || 'export'
