import type { spokenMoment } from '../messages/spoken-moment.ts'
import type { escapeLiterally } from '../text/escape.ts'
import type { langAttribute } from '../text/language.ts'
import type { describedPictures } from './described-pictures.ts'
import type { PolicyLink, Shell } from './shell.ts'

/** What each template has, whoever includes it. */
export type Context = Pick<Shell, (typeof CONTEXT)[number]>

/** What the page shows that a function renders and returns. */
export type Shown<Show extends (...given: never[]) => unknown> = DataOf<Awaited<ReturnType<Show>>>
type DataOf<Rendered> = Rendered extends { readonly shows?: infer Data } ? NonNullable<Data> : never

/** `this` in a template. */
export interface Engine {
  /** Where `<%= %>` would show less than a form has to send back. */
  readonly literally: typeof escapeLiterally
  readonly describedPictures: typeof describedPictures
  readonly spokenMoment: typeof spokenMoment
  readonly langAttribute: typeof langAttribute
}

/** What each template is handed, by its name: `npm run types` adds them. */
// biome-ignore lint/suspicious/noEmptyInterface: src/tools/view-types declares its members
export interface Views {}

/** The name of a page's template, below views/. */
export type ViewName = [keyof Views] extends [never] ? string : WithoutSlash<keyof Views>
type WithoutSlash<Path> = Path extends `/${infer Name}` ? Name : never

/** Renders a partial with the context and what it is handed. */
export type Include = <Name extends keyof Views>(name: Name, ...handed: HandedTo<Name>) => string

type HandedTo<Name extends keyof Views> =
  Record<never, never> extends Views[Name] ? [handed?: Views[Name]] : [handed: Views[Name]]

export const CONTEXT = [
  't',
  'lang',
  'csrf',
  'viewer',
  'bar',
  'own',
  'here',
  'courseSlug',
  'courseQuery',
  'signInPath',
] as const

/** What the layout has besides: all of the shell. */
export interface Layout extends Shell {
  readonly pageName: string
  readonly policies: readonly PolicyLink[]
  /** What the search field holds. */
  readonly query?: string
}

type Text = string | null | undefined

/** What an HTML attribute may be: true writes its name alone, undefined, null and false write nothing. */
export type Attribute = string | number | boolean | null | undefined

/** The attributes of a control, and whether it has a hint and an error. */
export interface Control {
  [attribute: string]: Attribute
  readonly id: string
  readonly name: string
  readonly hint?: Text
  readonly error?: Text | boolean
  readonly describedBy?: Text
}

interface Labelled {
  readonly name: string
  readonly id?: string | undefined
  readonly label: string
  readonly hint?: Text
  readonly error?: Text
  readonly required?: boolean | undefined
}

export interface FieldView extends Labelled {
  readonly value?: Text
  readonly placeholder?: Text
  readonly type?: string | undefined
  readonly isTitle?: boolean
  readonly max?: number | undefined
  readonly optional?: boolean | undefined
  readonly multiline?: boolean | undefined
  readonly rows?: number | undefined
  readonly autocomplete?: Text
  readonly maxlength?: number | undefined
  readonly minlength?: number | undefined
  readonly inputmode?: Text
  readonly autofocus?: boolean | undefined
  readonly spellcheck?: boolean | undefined
}

export interface EditorView extends Labelled {
  readonly value?: Text
  readonly rows?: number | undefined
  readonly max?: number | undefined
  readonly key?: Text
  readonly template?: Text
  readonly whose?: Text
  readonly people?: Text
  readonly fileError?: Text
  readonly to?: Text
  readonly previewPath?: Text
  readonly isPlain?: boolean | undefined
}

export interface OptionView {
  readonly value: string | number
  readonly text: string
  readonly selected?: boolean
  readonly lang?: Text
}

export interface SelectView extends Labelled {
  readonly gone?: { readonly option: string; readonly error: string } | null | undefined
  readonly options?: readonly OptionView[]
  readonly groups?: readonly { readonly label: string; readonly options: readonly OptionView[] }[]
}

/** A checkbox with its words. */
export interface BoxView {
  readonly name: string
  readonly label: string
  readonly hint?: Text
  readonly error?: Text
  readonly isChecked: boolean
}

/** A place on the way from the front page to a page; `path` null: it is none. */
export interface Crumb {
  readonly text: string
  readonly path: string | null
  readonly icon?: string
  readonly before?: Text
  readonly lang?: Text
}

export interface Tab {
  readonly text: string
  readonly path: string
  readonly isCurrent: boolean
  readonly lang?: Text
  readonly n?: string | number | null
  readonly isWaiting?: boolean
  readonly own?: Text
}
