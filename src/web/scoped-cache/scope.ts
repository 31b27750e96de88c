/**
 * What pages and other cached values depend on, and what changes touch: a question's page, and its row in lists; a course's
 * lists of the newest questions; whatever else a course has, as its figures and what was active last; a person as pages name them; the
 * numbers of a person's profile; what a person has of their own in pages; a person's sessions and rights; `lists` and `site`: lists
 * and whatever else spans courses; `sign-in`: the providers that people sign in with. See ../page-cache/README.md for what touches
 * which.
 */
export type Scope =
  | `${'question' | 'row' | 'list' | 'course' | 'person' | 'profile' | 'own' | 'access'}:${number}`
  | 'lists'
  | 'site'
  | 'sign-in'
