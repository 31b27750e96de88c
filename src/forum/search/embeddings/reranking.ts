import type { FastifyInstance } from 'fastify'
import type { Database } from '../../../database/schema.ts'
import type { ReadableCourses } from '../../../rights/readable.ts'
import { EmbeddingEndpoint } from './endpoint.ts'
import { storedVectors } from './stored-vectors.ts'
import { mayBeTyped } from './typed-texts.ts'
import { nearness, type Vector } from './vector.ts'
import { vectorKind } from './vector-kind.ts'

/** The first of what was found are ranked once more. */
export const RERANKED = 50
/** How little the places of two rankings differ far behind (Cormack and others, "Reciprocal rank fusion", 2009). */
const FUSION = 60

/** The text that results are compared with: a stored question, or a typed text. */
export type Compared =
  | { readonly question: number }
  /** `mayBePrivate`: it may become a question, and a private one. */
  | { readonly typed: string; readonly mayBePrivate: boolean }

const endpoints = new WeakMap<Database, EmbeddingEndpoint>()

/** Whether what is found in this database is ranked once more: as many as RERANKED are to be found then. */
export function isReranked(db: Database): boolean {
  return endpoints.has(db)
}

/** With EMBEDDINGS_URL: vectors are made by jobs, and what is found is ranked by them, too. */
export function registerEmbeddings(app: FastifyInstance): void {
  const url = app.config.embeddingsUrl
  if (url === null) return
  const endpoint = new EmbeddingEndpoint(url)
  endpoints.set(app.db, endpoint)
  if (app.changes !== null) app.jobs.start(vectorKind(app.db, endpoint))
  app.addHook('onClose', async () => {
    endpoints.delete(app.db)
    endpoint.close()
  })
}

/**
 * The found ones in the order of both rankings: by words, as they come, and by meaning. Without an endpoint, a vector of what they are compared
 * with, or the right to ask for it, the order that they have. One without a vector of its own keeps its place.
 * @param found the best first
 */
export async function reranked<Found extends { readonly id: number }>(
  db: Database,
  found: readonly Found[],
  compared: Compared,
  courses: ReadableCourses,
): Promise<readonly Found[]> {
  const endpoint = endpoints.get(db)
  if (endpoint === undefined || found.length < 2) return found
  const first = found.slice(0, RERANKED)
  const ids = first.map(({ id }) => id)
  const [vectors, typed] = await Promise.all([
    storedVectors(db, 'question' in compared ? [...ids, compared.question] : ids, endpoint.model),
    'typed' in compared && (await mayBeTyped(db, courses, compared.mayBePrivate))
      ? endpoint.embedTyped(compared.typed)
      : null,
  ])
  const own = 'question' in compared ? vectors.get(compared.question) : typed
  return own == null ? found : [...fused(first, vectors, own), ...found.slice(RERANKED)]
}

/** Reciprocal rank fusion: of places alone, as values of two rankings can't be compared. Of two that are as good, meaning decides. */
function fused<Found extends { readonly id: number }>(
  found: readonly Found[],
  vectors: ReadonlyMap<number, Vector>,
  own: Vector,
): Found[] {
  const known = found.flatMap(({ id }) => {
    const vector = vectors.get(id)
    return vector === undefined ? [] : [{ id, near: nearness(own, vector) }]
  })
  known.sort((one, other) => other.near - one.near)
  const places = new Map(known.map(({ id }, place) => [id, place]))
  return found
    .map((one, byWords) => ({ one, byWords, byMeaning: places.get(one.id) ?? byWords }))
    .map((ranked) => ({ ...ranked, worth: 1 / (FUSION + ranked.byWords) + 1 / (FUSION + ranked.byMeaning) }))
    .sort((a, b) => b.worth - a.worth || a.byMeaning - b.byMeaning)
    .map(({ one }) => one)
}
