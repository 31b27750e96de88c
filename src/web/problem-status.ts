import type { Problem, ProblemName } from '../operations/problem.ts'

const STATUS: Readonly<Record<ProblemName, number>> = {
  badRequest: 400,
  forbidden: 403,
  leaving: 403,
  archived: 403,
  suspended: 403,
  closed: 403,
  keptPrivate: 403,
  ownDecision: 403,
  staleForm: 403,
  foreignForm: 403,
  notFound: 404,
  tooSlow: 408,
  handedOn: 409,
  alreadySuspended: 409,
  gone: 410,
  tooLarge: 413,
  notAForm: 415,
  invalid: 422,
  unanswered: 422,
  tooOften: 429,
  firstDay: 429,
  broken: 500,
  unavailable: 503,
}

/** The HTTP status of a problem (RFC 9110, 15). */
export const statusOf = ({ key }: Pick<Problem, 'key'>): number => STATUS[key]
