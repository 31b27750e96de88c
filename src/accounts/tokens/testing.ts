import assert from 'node:assert/strict'
import type { Database, TokenScope } from '../../database/schema.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { makeToken, type TokenOwner } from './token.ts'

/** A token of a person, for ninety days. */
export async function aToken(
  { db }: { readonly db: Database },
  person: { readonly id: number },
  scopes: readonly TokenScope[] = ['read'],
  courseId: number | null = null,
): Promise<string> {
  return made(db, { personId: person.id, courseId }, scopes)
}

/** A token of a course. */
export async function aCourseToken(
  { db }: { readonly db: Database },
  course: { readonly id: number },
): Promise<string> {
  return made(db, { personId: null, courseId: course.id }, ['read', 'staff'])
}

async function made(db: Database, owner: TokenOwner, scopes: readonly TokenScope[]): Promise<string> {
  const ends = aDayAhead(90)
  const token = await db
    .transaction()
    .execute((write) => makeToken(write, owner, { name: 'A test', scopes, ends, timeZone: 'UTC' }))
  return token ?? assert.fail('too many tokens')
}
