import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { flag } from '../../kernel/fields.ts'
import { type Doing, forum, operation, type Subject } from '../../kernel/operation.ts'
import { Refused, refusal } from '../../kernel/problem.ts'
import { domainFinder } from '../../text/blocked-addresses.ts'
import { type FormState, freshForm, typedIn } from '../../web/form.ts'
import { type FormDoor, openForm } from '../../web/forms/door.ts'
import type { PageContext } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { courseBlocklistPath, courseSettingsPath } from '../../web/paths.ts'
import {
  ENTRIES,
  findBlocklists,
  LISTS,
  type Lists,
  listField,
  replaceBlocklists,
} from '../blocklists/blocklist.ts'
import { course } from '../courses/find-course.ts'
import { version } from '../posts/form.ts'
import { previewBlocklists } from './blocklist-preview.ts'
import { runningPage } from './nav.ts'

const fields = { words: listField('words'), links: listField('links'), emails: listField('emails') }
/** `version`: the newest entry that the form began with. Without `sure` nothing is changed: its sender sees what the lists would hold. */
const input = { ...fields, version, sure: flag }
const NAMES = [...LISTS, 'version']

type Changing = Doing<Lists & { sure: boolean; version: number | null }, Subject, 'blocklist-changed'>

export const courseBlocklistChange = operation({
  name: 'change-blocklist',
  right: 'change-blocklist',
  find: course,
  input,
  events: ['blocklist-changed'],
  async run(doing) {
    const { id, slug } = doing.subject
    return { slug, ...(await change(doing, id)) }
  },
})

export const forumBlocklistChange = operation({
  name: 'change-forum-blocklist',
  right: 'change-forum-blocklist',
  find: forum,
  input,
  events: ['blocklist-changed'],
  run: (doing) => change(doing, null),
})

async function change({ write, input, baseUrl, note }: Changing, courseId: number | null) {
  const { words, links, emails, version, sure } = input
  const lists = { words, links, emails }
  const own = new URL(baseUrl).hostname
  const leads = links.find((entry) => domainFinder([entry])(own))
  if (leads !== undefined) throw refusal('links', 'blocklist.links.own', { entry: leads })
  if (!sure) return { lists, isSaved: false, isChanged: false }
  const { added, removed, full } = await replaceBlocklists(write, courseId, lists, version)
  if (full.length > 0) {
    const message = { key: 'blocklist.full', values: { max: ENTRIES.most } }
    throw new Refused(full.map((field) => ({ field, message })))
  }
  const isChanged = added + removed > 0
  if (isChanged) note('blocklist-changed', { courseId, added, removed })
  return { lists, isSaved: true, isChanged }
}

/** What the form of blocklists shows. */
export interface BlocklistsShown {
  readonly form?: FormState
  /** What the lists that were typed would have held is shown, before they are saved. */
  readonly previewed?: Lists
}

/** What views/course-settings/_blocklist.eta shows. @param courseId null: of the forum */
export async function blocklistForm(
  { t, db, config, formFields }: PageContext,
  courseId: number | null,
  { form: sent, previewed }: BlocklistsShown,
) {
  const form = sent ?? (await formOf(db, courseId))
  const shown = { rows: 8, max: undefined, spellcheck: false, hintValues: { most: ENTRIES.most } }
  const preview =
    previewed === undefined ? null : await previewBlocklists(db, courseId, previewed, config.baseUrl)
  return {
    title: t(courseId === null ? 'blocklist.titleOfForum' : 'blocklist.title'),
    form,
    version: form.typed.version ?? '',
    fields: Object.values(
      formFields('blocklist', fields, form, { words: shown, links: shown, emails: shown }),
    ),
    preview,
  }
}

async function formOf(db: PageContext['db'], courseId: number | null): Promise<FormState> {
  const { newest, ...lists } = await findBlocklists(db, courseId)
  const typed = LISTS.map((list) => [list, lists[list].join('\n')])
  return freshForm({ ...Object.fromEntries(typed), version: String(newest) })
}

type Show = (
  request: FastifyRequest,
  reply: Parameters<typeof showCourseBlocklist>[1],
  shown: BlocklistsShown,
) => Promise<unknown>
type Changed = Awaited<ReturnType<typeof change>>

/** Shows what the lists would hold, before they are saved. */
export function blocklistDoor(show: Show) {
  return {
    keeps: NAMES,
    shown: (request, reply, { isSaved, lists }) =>
      isSaved
        ? null
        : show(request, reply, { form: freshForm(typedIn(request.body, NAMES)), previewed: lists }),
    flash: (_, done) => (done?.isChanged === false ? 'forms.unchanged' : 'courseSettings.flash.saved'),
    refused: (request, reply, form) => show(request, reply, { form }),
  } satisfies Partial<FormDoor<never, Changed>>
}

/** The form as its sender left it to sign in. */
export async function keptBlocklists(request: FastifyRequest): Promise<BlocklistsShown> {
  const kept = await findKeptForm(request)
  return kept === null ? {} : { form: restoredForm(request, kept) }
}

export const showCourseBlocklist = runningPage(
  'course-settings/blocklist',
  'blocklist',
  {},
  async (context, shown: BlocklistsShown) => {
    const { course, db } = context
    const { hold } = await db
      .selectFrom('courses')
      .select('hold')
      .where('id', '=', course.id)
      .executeTakeFirstOrThrow()
    return {
      ...(await blocklistForm(context, course.id, shown)),
      path: courseBlocklistPath(course.slug),
      // Where the lists hold nothing, or everything is held.
      unusedPath: hold === 'signals' ? null : `${courseSettingsPath(course.slug)}#asking`,
    }
  },
)

export function registerCourseBlocklist(app: FastifyInstance): void {
  const path = '/courses/:course/settings/blocklist'
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  app.get(path, async (request, reply) => showCourseBlocklist(request, reply, await keptBlocklists(request)))
  openForm(app, path, courseBlocklistChange, {
    ...blocklistDoor(showCourseBlocklist),
    key: slugIn,
    formPage: (request) => courseBlocklistPath(slugIn(request)),
    done: ({ slug }) => courseBlocklistPath(slug),
  })
}
