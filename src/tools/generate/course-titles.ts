import type { Language } from '../../database/schema.ts'

/** Title, field and language of the courses of a generated forum, in the order of their creation; a third is Korean. */
export const COURSES: readonly (readonly [string, string, Language])[] = [
  ['Web Applications from the Ground Up', 'Backend', 'en'],
  ['처음 만나는 스프링 부트', '백엔드', 'ko'],
  ['Practical Databases', 'Data', 'en'],
  ['Modern Front Ends', 'Frontend', 'en'],
  ['실전 JPA 프로그래밍', '백엔드', 'ko'],
  ['Testing without Tears', 'Quality', 'en'],
  ['Python for Data', 'Data', 'en'],
  ['알고리즘 첫걸음', '컴퓨터 과학', 'ko'],
  ['Containers and Clusters', 'Operations', 'en'],
  ['Kotlin in Depth', 'Mobile', 'en'],
  ['리액트로 만드는 화면', '프론트엔드', 'ko'],
  ['Operating Systems', 'Computer science', 'en'],
  ['Machine Learning Foundations', 'AI', 'en'],
  ['머신러닝 입문', '인공지능', 'ko'],
  ['Messaging at Scale', 'Backend', 'en'],
  ['Functional Programming', 'Computer science', 'en'],
  ['데이터베이스 설계', '데이터', 'ko'],
  ['Embedded Programming', 'Hardware', 'en'],
  ['Secure by Design', 'Security', 'en'],
  ['네트워크 기초', '컴퓨터 과학', 'ko'],
]

/** Titles of lectures; every course has all of them in this order. */
export const LECTURES = `
Welcome · First steps · Tools · A first program · Reading errors · Requests and responses · Values and types · Objects
Collections · Input and output · Testing · Storing data · Queries · Transactions · Errors and exceptions · Time and money
Security · Concurrency · Messages · Caching · Performance · Deployment · Observing · Where to go from here`
  .split(/·|\n/)
  .map((title) => title.trim())
  .filter((title) => title !== '')
