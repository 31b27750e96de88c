/**
 * What pages and other cached values depend on, and what changes touch: a question's page; the lists and figures of a course;
 * a person as pages name them; the numbers of a person's profile; what a person has of their own in pages; a person's sessions
 * and rights; `site`: whatever spans courses; `sign-in`: the providers that people sign in with. See ../page-cache/README.md for what touches which.
 */
export type Scope =
  | `${'question' | 'course' | 'person' | 'profile' | 'own' | 'access'}:${number}`
  | 'site'
  | 'sign-in'
