export { aCourse, type MadeCourse } from './courses.ts'
export { aMember, aPerson, type MadePerson } from './people.ts'
export { anAnswer, aQuestion, aReply, type MadeAnswer, type MadeQuestion } from './posts.ts'
