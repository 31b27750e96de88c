import { type CourseAct, may, placeOf } from '../../kernel/rights/rights.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { contextOf, type Loaded, type PageContext, type ShowPage, showLoaded } from '../../web/page.ts'
import type { PageHead } from '../../web/shell.ts'
import type { ViewName } from '../../web/view-context.ts'
import { type BarCourse, barOf, type CoursePlace } from './course-bar.ts'
import { courseFor } from './find-course.ts'
import type { Course } from './queries.ts'

/** What a page of a course is loaded with. */
export interface CourseContext<Of extends BarCourse = Course> extends PageContext {
  readonly course: Of
  /** Of the head of a page that all who may read the course see: search engines list no private ones. */
  readonly robots: 'noindex' | undefined
  /** Whether the viewer may do that in the course. */
  may(act: CourseAct): boolean
}

/** The head of a page of a course, which has the course's bar. */
interface CoursePageHead extends PageHead {
  /** The place of the bar that it is; null: it is beside them. */
  readonly place: CoursePlace | null
  /** It is below that place. */
  readonly isBelow?: boolean
}

/** The head of a page that may be of a course. @param course null: it is of none */
export async function headIn(
  context: PageContext,
  course: BarCourse | null,
  place: CoursePlace | null,
  isBelow = false,
): Promise<Pick<PageHead, 'course' | 'bar'>> {
  return course === null ? {} : { course: course.slug, bar: await barOf(context, course, place, isBelow) }
}

/** The zone of the times on a page that may be of a course: the viewer's, the course's, or the forum's. */
export const zoneIn = (
  { viewer, config }: Pick<PageContext, 'viewer' | 'config'>,
  course: { readonly timeZone: string } | null,
) => viewer?.timeZone ?? course?.timeZone ?? config.timeZone

/**
 * A page of the course in its path.
 * @param head `right`: what its viewer may do there, else they are refused; left out: read
 */
export function coursePage<Given extends unknown[], Data extends Loaded>(
  view: ViewName,
  { right = 'read', ...head }: CoursePageHead & { readonly right?: CourseAct },
  load: (context: CourseContext, ...given: Given) => Data | Promise<Data>,
): ShowPage<Given, Data> {
  const show = pageOfCourse(view, head, load)
  return async (request, reply, ...given) => show(request, reply, await courseFor(request, right), ...given)
}

/** A page of a course that was found by something else, and whose viewer may see it. */
export function pageOfCourse<Given extends unknown[], Data extends Loaded, Of extends BarCourse = Course>(
  view: ViewName,
  { place, isBelow, ...head }: CoursePageHead,
  load: (context: CourseContext<Of>, ...given: Given) => Data | Promise<Data>,
): ShowPage<[course: Of, ...Given], Data> {
  return async (request, reply, course, ...given) => {
    const context = contextOf(request)
    const of = placeOf(course)
    const loaded = await load(
      {
        ...context,
        course,
        robots: isVisible(null, course) ? undefined : 'noindex',
        timeZone: async () => zoneIn(context, course),
        may: (act) => may(context.viewer, act, of),
      },
      ...given,
    )
    const own = await headIn(context, course, place, isBelow)
    return showLoaded(reply, view, { ...head, ...own }, loaded)
  }
}
