import { sql } from 'kysely'
import { beginSession } from '../../../accounts/sessions/sessions.ts'
import type { Database } from '../../../database/schema.ts'
import { fetchRaw } from './pages.ts'

/** A signed-in person, with a token that is valid for every form. */
export interface SignedIn {
  readonly id: number
  readonly cookie: string
  readonly token: string
}

const AGENT = 'the benchmark'

/**
 * Creates sessions directly in the database, and opens a page with a form in each. A forum with too few people gets some more,
 * who have written nothing.
 */
export async function signInPeople(db: Database, url: string, count: number): Promise<SignedIn[]> {
  await sql`
    insert into people (display_name) select 'Reader ' || number
    from generate_series((select count(*) from people where not is_admin) + 1, ${count}::bigint) as number`.execute(
    db,
  )
  const people = await db
    .selectFrom('people')
    .select('id')
    .where('is_admin', '=', false)
    .orderBy(sql`md5(id::text)`)
    .limit(count)
    .execute()
  const signedIn: SignedIn[] = []
  for (const { id } of people) {
    const session = `session=${await beginSession(db, id, AGENT)}`
    signedIn.push({ id, ...(await openForm(url, session)) })
  }
  return signedIn
}

/** The cookie of the forms' secret beside that of the session, and the token. */
async function openForm(url: string, session: string): Promise<{ cookie: string; token: string }> {
  const page = await fetchRaw(url, '/settings', { cookie: session, 'accept-encoding': 'identity' })
  const token = /name="_csrf" value="([^"]+)"/.exec(page.body.toString())?.[1]
  if (token === undefined) throw new Error(`/settings answered ${page.status}, without a form`)
  const secrets = (page.headers['set-cookie'] ?? []).map((line) => line.split(';')[0])
  return { cookie: [session, ...secrets].join('; '), token }
}
