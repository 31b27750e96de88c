export { aCourse, type MadeCourse } from './courses.ts'
export {
  aMember,
  aNewcomer,
  anUnclaimedPerson,
  aPerson,
  asImported,
  type MadePerson,
  type PersonOptions,
} from './people.ts'
export { anAnswer, aQuestion, aReply, type MadeAnswer, type MadeQuestion } from './posts.ts'
