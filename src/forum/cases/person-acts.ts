import type { Role } from '../../database/schema.ts'
import { type Actor, may } from '../../kernel/rights/rights.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { PageContext } from '../../web/page.ts'
import { mayHandle } from '../handling/handlers.ts'
import { type InForce, measuresInForce } from '../handling/in-force.ts'
import { casePath } from './pages/queue-page.ts'
import { reportPath } from './pages/report-page.ts'

/** A course by its slug, or every course, with an empty value and no text. */
interface ActPlace {
  readonly value: string
  readonly text: string | null
}

interface ProfileOf {
  readonly id: number
  readonly isAdmin: boolean
  readonly roles: readonly { id: number; slug: string; title: string; role: Role }[]
}

export type PersonActs = Awaited<ReturnType<typeof personActs>>

/** Where a profile's viewer may act. */
function actPlaces(viewer: Actor | null, { id, isAdmin, roles }: ProfileOf): ActPlace[] {
  const inCourse = roles.filter(({ id: courseId, role }) =>
    mayHandle(viewer, { personId: id, role, isAdmin, courseId, isForAdmins: false }),
  )
  return [
    ...inCourse.map(({ slug, title }) => ({ value: slug, text: title })),
    ...(mayActEverywhere(viewer, id) ? [{ value: '', text: null }] : []),
  ]
}

const mayActEverywhere = (viewer: Actor | null, id: number) =>
  viewer !== null && viewer.id !== id && may(viewer, 'moderate-forum')

/**
 * The acts of staff about a person that a profile offers its viewer, where: views/cases/_person-acts.eta. What is in force is read for
 * those alone who may act on it. The act follows `path`; a suspension's `course` is empty, and its title null, for every course.
 */
export async function personActs({ t, db, viewer }: PageContext, profile: ProfileOf, timeZone: string) {
  const { id } = profile
  const places = actPlaces(viewer, profile)
  const inForce = places.length === 0 ? [] : await measuresInForce(db, id)
  const isAdmin = mayActEverywhere(viewer, id)
  const isThere =
    (kind: InForce['kind']) =>
    ({ value }: ActPlace) =>
      inForce.some((one) => one.kind === kind && (one.course ?? '') === value)
  const isKnown = ({ kind, course }: InForce) =>
    kind === 'suspend' && (isAdmin || course === null || places.some(({ value }) => value === course))
  return {
    reportPath: viewer?.id === id ? null : reportPath({ about: 'person', id }),
    openCasePath: isAdmin ? reportPath({ about: 'person', id }, 'open-case') : null,
    path: `/people/${id}`,
    places,
    suspendIn: places.filter((place) => !isThere('suspend')(place)),
    liftIn: places.filter(isThere('suspend')),
    restoreIn: places.filter(isThere('delete')),
    suspensions: inForce.filter(isKnown).map(({ course, title, endsAt, caseId, isForAdmins }) => ({
      ...{ course: course ?? '', title },
      until: endsAt === null ? null : writtenMoment(endsAt, timeZone, t),
      case: isForAdmins && !isAdmin ? null : { id: caseId, path: casePath(caseId) },
    })),
  }
}
