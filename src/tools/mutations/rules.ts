import drawn from './drawn.json' with { type: 'json' }

/** A rule, and how a change of one place in the code breaks it. */
export interface Mutation {
  /** What would no longer hold. It names the mutation in the table, also after its code has moved. */
  readonly rule: string
  readonly file: string
  /** What stands once in the file; empty: the file is made. */
  readonly from: string
  readonly to: string
  /** What else holds the rule, so that no test can see it broken here: a proof. */
  readonly changesNothing?: string
}

/** @throws Error where the code is not, or not only once, in its file: the mutation has to be carried over */
export function mutated(text: string, { rule, file, from, to }: Mutation): string {
  if (from === '') return to
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`"${rule}": found ${parts.length - 1} times in ${file}: ${from}`)
  return parts.join(to)
}

/** Rules that a forum stands on, each broken in one place. */
const BY_HAND: readonly Mutation[] = [
  {
    rule: 'a form needs its token',
    file: 'src/web/csrf.ts',
    from: 'app.csrfProtection(request, reply, done)',
    to: 'done()',
  },
  {
    rule: 'a form from another site is refused',
    file: 'src/web/csrf.ts',
    from: "if (!isOurs(request, app.config.baseUrl)) return done(new Problem('foreignForm'))",
    to: '',
  },
  {
    rule: 'the right to an operation is checked in its transaction',
    file: 'src/kernel/perform.ts',
    from: 'if (actor !== OPERATOR) requireRight(actor, right, place)',
    to: '',
  },
  {
    rule: 'who is suspended writes nothing',
    file: 'src/kernel/perform.ts',
    from: 'if (!operation.isForSuspended && !isOwn) requireUnsuspended(actor, place)',
    to: '',
  },
  {
    rule: 'the same form sent twice makes one post',
    file: 'src/kernel/posted-once.ts',
    from: "if (path !== '') return { outcome: null, path }",
    to: '',
  },
  {
    rule: 'a private question is read by its asker and staff alone',
    file: 'src/kernel/rights/visibility.ts',
    from: "q.audience = 'course' and q.held_at is null",
    to: 'q.held_at is null',
  },
  {
    rule: 'a hidden question is read by its asker and staff alone',
    file: 'src/kernel/rights/visibility.ts',
    from: 'q.held_at is null and q.hidden_at is null',
    to: 'q.held_at is null',
  },
  {
    rule: 'a hidden answer or reply is read by its author and staff alone',
    file: 'src/kernel/rights/visibility.ts',
    from: "const isSeen = reachOf(viewer, 'read-hidden').isAll",
    to: 'const isSeen = true',
  },
  {
    rule: 'a vote counts once',
    file: 'src/forum/posts/vote.ts',
    from: ' and exists (select from changed)',
    to: '',
  },
  {
    rule: 'a link in a post is followed by no search engine',
    file: 'src/text/markdown/sanitizer.ts',
    from: "rel: 'nofollow ugc noopener'",
    to: "rel: 'noopener'",
  },
  {
    rule: 'a post contains allowed elements only',
    file: 'src/text/markdown/sanitizer.ts',
    from: "...['em', 'strong',",
    to: "...['em', 'script', 'strong',",
  },
  {
    rule: 'a mailed link works once',
    file: 'src/accounts/identity/mail-links.ts',
    from: 'if (person === undefined || used.numUpdatedRows !== 1n) throw new DeadLink()',
    to: 'if (person === undefined) throw new DeadLink()',
  },
  {
    rule: 'a recovery code works once',
    file: 'src/accounts/second-factor/second-factor.ts',
    from: ".where('used_at', 'is', null)\n    .executeTakeFirst()\n  return used.numUpdatedRows === 1n",
    to: ".where('used_at', 'is', null)\n    .executeTakeFirst()\n  return true",
  },
  {
    rule: 'a session’s cookie is out of reach for scripts',
    file: 'src/web/cookies.ts',
    from: 'httpOnly: true',
    to: 'httpOnly: false',
  },
  {
    rule: 'a page for one person is stored by no cache',
    file: 'src/web/shell.ts',
    from: "reply.header('cache-control', 'private, no-store')",
    to: "reply.header('cache-control', 'public, max-age=60')",
  },
  {
    rule: 'the forum fetches from public addresses alone',
    file: 'src/web/guarded-fetch.ts',
    from: " === 'unicast'",
    to: " !== 'reserved'",
  },
  {
    rule: 'a form leads back to pages of the forum alone',
    file: 'src/web/paths.ts',
    from: 'return localPath(typedFields(request.body).back, fallback)',
    to: 'return String(typedFields(request.body).back ?? fallback)',
  },
  {
    rule: 'a push says what its reader may still read',
    file: 'src/forum/pushing/send-push.ts',
    from: 'if (person === null || told === null) return false',
    to: 'if (person === null) return false',
  },
  {
    rule: 'a mailed link is good for its purpose alone',
    file: 'src/accounts/identity/mail-links.ts',
    from: ".where('link.purpose', 'in', purposes)",
    to: '',
  },
  {
    rule: 'a cached page that a change touches is dropped',
    file: 'src/web/scoped-cache/scoped-cache.ts',
    from: 'if (entry === undefined || this.isCurrent(entry)) return entry',
    to: 'if (entry !== undefined) return entry',
  },
]

/** What is broken: sixty rules, twenty of them written by hand, forty drawn once (drawing.ts) and carried over since. */
export const RULES: readonly Mutation[] = [...BY_HAND, ...drawn]
