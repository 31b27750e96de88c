import type { Generated, GeneratedAlways } from 'kysely'
import type { DefaultTime } from './columns.ts'

interface SearchDocuments {
  question_id: number
  course_id: number
  /** questions.state. */
  state: number
  /** A tsvector in its text form. */
  terms: string
  score: Generated<number>
  terms_version: number
  /** src/forum/search/places.ts */
  places: GeneratedAlways<number[]>
}

interface SearchTerms {
  term: string
  documents_count: number
}

interface SearchWords {
  word: string
  questions_count: number
}

interface AskedInstead {
  question_id: number
  person_id: number
  lexemes: string[]
  asked_at: DefaultTime
}

interface SearchOpenings {
  question_id: number
  /** As typed, in small letters. */
  word: string
  /** A keyed hash. */
  who: Buffer
  lexemes: string[]
  opened_on: Generated<string>
}

interface QuestionVectors {
  question_id: number
  model: string
  version: number
  vector: Buffer
}

interface NearQuestions {
  question_id: number
  text_hash: Buffer
  /** bigint[], which pg reads as texts. */
  near_ids: string[]
  found_at: DefaultTime
}

/** Search documents and statistics of their terms, and what searches taught. */
export interface SearchTables {
  search_documents: SearchDocuments
  search_terms: SearchTerms
  search_words: SearchWords
  asked_instead: AskedInstead
  search_openings: SearchOpenings
  question_vectors: QuestionVectors
  near_questions: NearQuestions
}
