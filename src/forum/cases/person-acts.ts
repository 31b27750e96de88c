import type { Role } from '../../database/schema.ts'
import { type Actor, may } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { mayHandle } from '../handling/handlers.ts'
import type { InForce } from '../handling/in-force.ts'
import { casePath } from './pages/queue-page.ts'
import { reportPath } from './pages/report-page.ts'

/** A course by its slug, or every course, with an empty value and no text. */
export interface ActPlace {
  readonly value: string
  readonly text: string | null
}

/** Acts of staff about a person, and the address to report them: views/cases/_person-acts.eta. */
export interface PersonActs {
  /** null: one's own profile. */
  readonly reportPath: string | null
  /** Where admins open a case about the profile; null: others. */
  readonly openCasePath: string | null
  /** The base of the forms' addresses; the act follows it. */
  readonly path: string
  /** Where the viewer may act; none: they moderate nowhere where the person is. */
  readonly places: readonly ActPlace[]
  /** Of these: where there is no suspension, where there is one, and where deleted posts can be restored. */
  readonly suspendIn: readonly ActPlace[]
  readonly liftIn: readonly ActPlace[]
  readonly restoreIn: readonly ActPlace[]
  /** Suspensions in force in these places, and in every course; none for people who may not suspend. */
  readonly suspensions: readonly SuspensionView[]
}

export interface SuspensionView {
  /** What the form to lift it sends: a slug, or nothing for every course. */
  readonly course: string
  /** null: every course. */
  readonly title: string | null
  /** null: for good. */
  readonly until: Moment | null
  /** null: the viewer can't open it. */
  readonly case: { readonly id: number; readonly path: string } | null
}

interface ProfileOf {
  readonly id: number
  readonly isAdmin: boolean
  readonly roles: readonly {
    readonly id: number
    readonly slug: string
    readonly title: string
    readonly role: Role
  }[]
}

/** Where a profile's viewer may act, before it is read what is in force there. */
export function actPlaces(viewer: Actor | null, { id, isAdmin, roles }: ProfileOf): readonly ActPlace[] {
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
 * The acts that a profile offers its viewer, and what is in force.
 * @param inForce of the person; without places it isn't read
 */
export function personActs(
  viewer: Actor | null,
  id: number,
  places: readonly ActPlace[],
  inForce: readonly InForce[],
  { t, timeZone }: { readonly t: Translate; readonly timeZone: string },
): PersonActs {
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
    suspensions:
      places.length === 0
        ? []
        : inForce.filter(isKnown).map(({ course, title, endsAt, caseId, isForAdmins }) => ({
            ...{ course: course ?? '', title },
            until: endsAt === null ? null : writtenMoment(endsAt, timeZone, t),
            case: isForAdmins && !isAdmin ? null : { id: caseId, path: casePath(caseId) },
          })),
  }
}
