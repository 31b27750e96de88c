import type { Database } from '../src/database/schema.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../src/testing/builders.ts'
import { deleteAnswer, deleteQuestion } from '../src/testing/posts.ts'
import { within } from '../src/testing/within.ts'

/** One course with whatever a page may have to show, at its longest. */
export type World = Awaited<ReturnType<typeof aWorld>>

/** Everything the renderer can make, each at a width no phone has. */
const EVERYTHING = `
## A heading, \`code\` in it, and a [link](https://example.org/${'long-address/'.repeat(12)})

Text with **strong**, *emphasis*, ~~struck~~ words and ${'Donaudampfschifffahrtsgesellschaft'.repeat(6)}.

한국어 문단도 있습니다. 이 문단은 단어 중간에서 끊기지 않아야 합니다.

> A quote
> > in a quote

1. one
2. two
   - [x] done
   - [ ] to do

| column | ${'wide '.repeat(20)} | another |
|---|---|---|
| 1 | 2 | ${'3'.repeat(80)} |

![a picture](https://example.org/picture.png)

\`\`\`java
@PUT @Path("/books/{id}") // ${'a comment that does not end '.repeat(8)}
public Response replace(@PathParam("id") long id, Book book) { return Response.ok("done").build(); }
\`\`\`

\`\`\`json
{ "title": "REST in Practice", "pages": 448, "isLent": false, "by": null }
\`\`\`

${['kotlin', 'js', 'ts', 'http', 'xml', 'yaml', 'sql', 'sh', 'python', 'html', 'css', 'diff'].map(codeIn).join('\n')}

A formula, $e^{i\\pi} + 1 = 0$, one that is wide, and one that is broken, $\\frac{$:

$$\\sum_{k=1}^{n} ${'a_k b_k + '.repeat(30)} c = \\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}$$

\`\`\`java numbers {2,4-5}
${'int line = 1;\n'.repeat(6)}\`\`\`

\`\`\`
${'select title from books where id = 1;\n'.repeat(60)}\`\`\`

---

<script>alert('no')</script>
`

function codeIn(language: string): string {
  const text = {
    http: 'PUT /books/7 HTTP/1.1\nHost: example.org\n\n{"title":"x"}',
    xml: '<book id="7"><!-- x --><title>REST</title></book>',
    html: '<p class="x">REST &amp; you</p>',
    css: 'a:hover { color: red; --x: 1px }',
    diff: '- old\n+ new',
    yaml: 'book: # x\n  title: "REST"\n  pages: 448',
    sql: "select title, 1 from books where id = 'x' -- y",
    sh: 'curl -X PUT "$URL" # put it',
    python: '@route("/books")\ndef books(id: int) -> str:\n    """x"""\n    return f"{id}" if True else None',
  }[language]
  return `\`\`\`${language}\n${text ?? 'const book = new Book("REST", 448) // x'}\n\`\`\`\n`
}

/** Creates a new world: tests change it. */
export async function aWorld(db: Database) {
  const course = await aCourse(db, {
    title: `${'A course with a very long title '.repeat(4)}${Date.now()}`.slice(-150).trim(),
    field: 'Backend',
    description: 'What it is about.',
    lectures: [
      'Verbs',
      'A lecture whose title takes more than one line on any phone there is, and then some more',
    ],
  })
  const asker = await aPerson(db, { displayName: 'W'.repeat(50) })
  const instructor = await aMember(db, course, 'instructor', await aPerson(db, { displayName: '김하늘' }))
  // A course of the same instructor has no question.
  const empty = await aCourse(db)
  await aMember(db, empty, 'instructor', instructor)
  const lectureId = course.lectureIds[1] ?? 0
  const wide = { course, author: asker, lectureId, tags: ['http', 'put', 'c#', 'x'.repeat(32), '한국어'] }
  const answered = async (body: string) => {
    const asked = await aQuestion(db, { ...wide, title: 'W'.repeat(150), body, votes: 2, views: 1234567 })
    await aReply(db, { question: asked, author: instructor, body: 'Which server is it?' })
    const accepted = { isAccepted: true, votes: 1 }
    const best = await anAnswer(db, { question: asked, author: instructor, body, ...accepted })
    const thanks = await aReply(db, {
      answer: best,
      author: asker,
      body: `Thanks! \`${'x'.repeat(200)}\``,
    })
    await anAnswer(db, { question: asked, author: asker, body: 'I found it too.' })
    return { question: asked, answer: best, reply: thanks }
  }
  const { question, answer, reply } = await answered(EVERYTHING)
  // Each post of a few words: what stands around them is looked at.
  const { question: plain } = await answered(`See \`${'x'.repeat(200)}\`.`)
  // Its text changes.
  const edited = await aQuestion(db, { ...wide, title: 'W'.repeat(150), body: EVERYTHING })
  // Staff hide it.
  const reported = await aQuestion(db, { ...wide, title: 'W'.repeat(150), answers: 1 })
  const deleted = await aQuestion(db, { course, author: asker, answers: 1 })
  await within(db, deleteQuestion, deleted.id)
  const deletedAnswer = await anAnswer(db, { question, author: asker, body: EVERYTHING })
  await within(db, deleteAnswer, question.id, deletedAnswer.id)
  await aQuestion(db, {
    course,
    title: '왜 PUT 요청이 405를 돌려주나요?',
    body: '서버가 거절합니다.',
    answers: 2,
  })
  const kept = await aQuestion(db, { ...wide, title: 'My grade seems wrong', audience: 'staff', answers: 1 })
  await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
  const masked = await aQuestion(db, { ...wide, title: 'Is this a silly question?', isAnonymous: true })
  const whispered = await anAnswer(db, { question: masked, isAnonymous: true })
  await aReply(db, { answer: whispered, author: asker, isAnonymous: true })
  const stranger = await aPerson(db)
  const admin = await aPerson(db, { isAdmin: true })
  const people = { asker, instructor, stranger, admin }
  const questions = { question, plain, edited, reported, deleted, kept, masked }
  return { course, empty, ...people, ...questions, answer, reply, deletedAnswer }
}
