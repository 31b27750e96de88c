export { aCourse, type MadeCourse } from './courses.ts'
export { aMember, anUnclaimedPerson, aPerson, asImported, type MadePerson } from './people.ts'
export { anAnswer, aQuestion, aReply, type MadeAnswer, type MadeQuestion } from './posts.ts'
