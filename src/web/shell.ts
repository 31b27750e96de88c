import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accent, Language } from '../database/schema.ts'
import { type Translate, translatorOf } from '../messages/catalogue.ts'
import { type Face, faceOf } from '../text/face.ts'
import { languageOfRequest, readAppearance, themeAttribute } from './appearance.ts'
import type { Assets } from './assets.ts'
import { type Flash, type FlashAct, takeFlash, UNDO } from './flash.ts'
import { type OwnParts, type OwnText, placeholder } from './own-parts.ts'
import { appearancePath, pathWith, personPath, signInPath } from './paths.ts'
import { pageOfForm } from './sign-in-first.ts'

/** A form of hidden fields and one button. */
export interface FlashForm {
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly button: string
  /** What was done is undone by it. */
  readonly isUndo: boolean
}

/** What every template has beside its own data. Plain data and three functions; nothing of HTTP or the database. */
export interface Shell {
  readonly t: Translate
  readonly lang: Language
  /** Of the root element, as HTML. */
  readonly themeAttribute: string
  readonly viewer: Viewer | null
  /** The way to what the viewer was told, as HTML; '' for visitors. */
  readonly bell: string
  /** What the viewer was told and has not seen. */
  readonly unseenCount: number
  /** What the viewer has of their own in the page: web/own-parts.ts. */
  readonly own: OwnText
  /** The hidden `_csrf` of this page's forms; calling it sets the cookie it belongs to. */
  readonly csrf: () => string
  /** What was just done, and the form that undoes it, or does what it asks for. */
  readonly flash: { readonly text: string; readonly form: FlashForm | null } | null
  /** Staff who have to set up a second factor before they have staff rights. */
  readonly owesSecondFactor: boolean
  readonly assets: Assets
  /** Address of the stylesheet of posts; null on pages that show and preview none. */
  readonly textCss: string | null
  /** Address of the stylesheet that only pages for staff need; null on all others. */
  readonly staffCss: string | null
  /** Address of a module that this page needs beside the one of all pages. */
  readonly script: string | null
  readonly requestId: string
  readonly canonical: string
  /** Where what is sent from any page leads back to; null: nobody knows. */
  readonly here: string | null
  /** Where GET shows this very page; null: at the address it has. */
  readonly address: string | null
  readonly robots: 'noindex' | null
  /** Path of the Atom feed that goes with the page. */
  readonly feed: string | null
  /** JSON-LD, each safe to stand in a script element. */
  readonly structuredData: readonly string[]
  readonly bar: CourseBar | null
  readonly askPath: string
  /** Slug of the course the page belongs to, and the query by which pages of no course keep its bar: `?course=rest` or ''. */
  readonly courseSlug: string | null
  readonly courseQuery: string
  readonly signInPath: string
  /** Where language and theme are chosen. */
  readonly appearancePath: string
}

/** What the ask form begins with, as its own address has it. */
export interface AskedAbout {
  readonly lecture?: number | null
  readonly title?: string | null
  /** With commas between. */
  readonly tags?: string | null
}

/** Who is signed in: the name, and the face in the masthead. */
export interface Viewer {
  readonly displayName: string
  readonly path: string
  /** Its hue is text where a page for many people has a slot. */
  readonly byline: Omit<Face, 'hue'> & { readonly hue: number | string }
}

/** The course a page belongs to, and the pages of the course: views/components/_course-bar.eta. */
export interface CourseBar {
  readonly text: string
  readonly path: string
  readonly lang: Language
  /** The course's colour; null: that of all pages. */
  readonly accent: Accent | null
  /** Nothing can be written in it any more. */
  readonly isArchived: boolean
  /** Where following the course is posted, and the subject of its button; null for those who may not. */
  readonly following: { readonly action: string; readonly subject: string } | null
  /** The course's name is the page's heading: the page has no title of its own. */
  readonly isHeading: boolean
  readonly places: readonly {
    readonly text: string
    readonly path: string
    /** For aria-current: the page that is shown, or what it is below; null: another place. */
    readonly current: 'page' | 'true' | null
    /** What waits there; null: nothing, or nobody counts. */
    readonly count: number | null
    /** The number that waits there for the viewer: a slot of web/own-parts.ts; null: nothing. */
    readonly slot: string | null
  }[]
}

/** A page about the forum or the course, which footers link to. Its name is also that of its message. */
export interface PolicyLink {
  readonly name: 'rules' | 'privacy' | 'contact' | 'courseRules'
  readonly path: string
}

export interface PageHead {
  /** Distinguishes the document's title from other pages with the same heading: the question that is edited, the sort of answers. */
  readonly about?: string | null
  /** The page's one address, as a path; default: the path asked for, without its query. */
  readonly canonical?: string | undefined
  /** 'noindex' for pages that search engines had better not list. */
  readonly robots?: 'noindex' | undefined
  /** Where GET shows the page as it is, as a form's answer stands at the address that the form was posted to. */
  readonly address?: string | undefined
  readonly feed?: string | undefined
  readonly structuredData?: readonly string[] | undefined
  /** Slug of the course the page belongs to: where Ask leads. */
  readonly course?: string | null
  /** What else Ask fills in. */
  readonly ask?: AskedAbout | undefined
  readonly bar?: CourseBar | undefined
  /** The page shows posts, or previews one. */
  readonly showsTexts?: boolean
  /** The page shows what only staff see. */
  readonly isForStaff?: boolean
  /** A module that only few pages need. */
  readonly script?:
    | 'passkeys'
    | 'push'
    | 'queue'
    | 'running'
    | 'searching'
    | 'settings'
    | 'timeZones'
    | undefined
}

/**
 * @param own of the person who is signed in; null: a visitor, or a page that many share
 * @param here of the page: hereOf
 */
export function shellOf(
  request: FastifyRequest,
  reply: FastifyReply,
  assets: Assets,
  head: PageHead,
  { own, here }: { readonly own: OwnParts | null; readonly here: string | null },
): Shell {
  const lang = languageOfRequest(request)
  const t = translatorOf(lang)
  const flash = takeFlash(request, reply)
  const person = request.person
  const path = request.url.split('?')[0] ?? '/'
  const next = isRead(request) ? (here ?? '/') : '/'
  const isShared = isForMembers(request)
  const unseenCount = own?.unseenCount ?? 0
  const course = head.course ?? null
  let token: string | null = null
  return {
    t,
    lang,
    themeAttribute: isShared
      ? placeholder('viewer.theme')
      : themeAttribute(person?.theme ?? readAppearance(request.headers.cookie).theme),
    viewer: viewerOf(request),
    bell: isShared ? bellPlaceholder(course) : bellOf(request, unseenCount, t, course),
    unseenCount,
    own: ownTexts(request, own, t),
    csrf: () => {
      if (isShared) return placeholder('viewer.token')
      token ??= reply.csrfToken()
      // The page is one browser's from here on: its token is worth something only there.
      reply.header('cache-control', 'private, no-store')
      return token
    },
    flash: flash === null ? null : shownFlash(flash, t, person?.email ?? ''),
    owesSecondFactor: person?.owesSecondFactor ?? false,
    assets,
    textCss: head.showsTexts === true ? assets.textCss : null,
    staffCss: head.isForStaff === true ? assets.staffCss : null,
    script: head.script === undefined ? null : assets[head.script],
    requestId: request.id,
    canonical: `${request.server.config.baseUrl}${head.canonical ?? path}`,
    here,
    address: head.address ?? null,
    robots: head.robots ?? null,
    feed: head.feed ?? null,
    structuredData: head.structuredData ?? [],
    bar: head.bar ?? null,
    askPath: pathWith('/questions/new', { course, ...head.ask }),
    courseQuery: pathWith('', { course }),
    courseSlug: course,
    signInPath: signInPath(next),
    appearancePath: person === null ? appearancePath(next) : '/settings#appearance',
  }
}

/**
 * The page to come back to: of a form's answer the one that shows the form, as far as its bar has a form that leads back. The address
 * of what was deleted repeats its title, so the canonical one stands in. Never rejects: that page has to come in any case.
 */
export async function hereOf(
  request: FastifyRequest,
  status: number,
  head: PageHead,
): Promise<string | null> {
  if (isRead(request)) return status === 410 ? (head.canonical ?? '/') : request.url
  if (!head.bar?.following) return null
  return head.address ?? pageOfForm(request).catch(() => null)
}

export const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

function ownTexts(request: FastifyRequest, own: OwnParts | null, t: Translate): OwnText {
  if (isForMembers(request)) return placeholder
  return (slot) => own?.text(slot, t) ?? ''
}

function bellOf({ person, server }: FastifyRequest, count: number, t: Translate, course: string | null) {
  return person === null ? '' : server.part('/notifications/_bell', { t, count, course })
}

const BELL = 'viewer.bell.'

/** Where the bell of a page of a course stands in a page that members share. */
function bellPlaceholder(course: string | null): string {
  return placeholder(`${BELL}${Buffer.from(course ?? '').toString('hex')}`)
}

/** The course of a bell's slot; null: none; undefined: another slot. */
export function courseOfBell(slot: string): string | null | undefined {
  if (!slot.startsWith(BELL)) return undefined
  return Buffer.from(slot.slice(BELL.length), 'hex').toString() || null
}

/** Whether a page is rendered that members share: page-cache/page-cache.ts fills its slots in. */
function isForMembers({ rendering }: FastifyRequest): boolean {
  return rendering !== null && rendering.reader !== null
}

/** Who is signed in; in a page that members share, placeholders. */
function viewerOf(request: FastifyRequest): Shell['viewer'] {
  const { person } = request
  if (person === null) return null
  if (isForMembers(request)) {
    const byline = {
      initials: placeholder('viewer.initials'),
      hue: placeholder('viewer.hue'),
      role: null,
    }
    return { displayName: placeholder('viewer.name'), path: placeholder('viewer.path'), byline }
  }
  return { displayName: person.displayName, path: personPath(person), byline: faceOf(person) }
}

function shownFlash({ said, act }: Flash, t: Translate, email: string): Shell['flash'] {
  const text = said.map(({ key, values }) => t(key, { email, ...values })).join(' ')
  return { text, form: act === null ? null : flashForm(act, t) }
}

/** The query of a path as the fields of a form. */
function flashForm({ path, label }: FlashAct, t: Translate): FlashForm {
  const [action = '', query = ''] = path.split('?')
  return { action, fields: [...new URLSearchParams(query)], button: t(label), isUndo: label === UNDO }
}
