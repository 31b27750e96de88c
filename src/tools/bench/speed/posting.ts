import type { Request } from 'autocannon'
import { Random } from '../../generate/random.ts'
import { CONNECTIONS } from './load.ts'
import { BROWSER_HEADERS } from './page-requests.ts'
import type { SignedIn } from './people.ts'

/** A realistic answer: prose, a list, and some code. */
const TEXT = `It depends on **who** reads the response. A list as the root of a JSON document cannot grow a second field later.

- wrap it in an object with a name of its own
- keep the status codes for what HTTP says they mean

\`\`\`java
public record Page<T>(List<T> items, String next) {}
\`\`\``

/** Number of the text: repeating one would be the same submission. */
let written = 0

export function answerText(): string {
  written += 1
  return `${TEXT}\n\nNumber ${written} of ${process.pid}.`
}

/** Requests of a connection that answers random questions, as different people. */
export function answersBy(
  people: readonly SignedIn[],
  questionIds: readonly number[],
): (connection: number) => Request[] {
  return (connection) => {
    const random = new Random(7, connection)
    const own = people.filter((_person, index) => index % CONNECTIONS === connection)
    return own.map((person) => ({
      setupRequest: (request) => ({
        ...request,
        ...formOf(person, `/questions/${random.pick(questionIds)}/answers`, { body: answerText() }),
      }),
    }))
  }
}

/** A form encoded like a browser's. */
export function formOf(person: SignedIn, path: string, fields: Readonly<Record<string, string>>) {
  return {
    method: 'POST' as const,
    path,
    headers: {
      ...BROWSER_HEADERS,
      cookie: person.cookie,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ _csrf: person.token, ...fields }).toString(),
  }
}
