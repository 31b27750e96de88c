import { FORMAT, fileOf, jsonSchemas, LINE_KINDS, type LineKind } from './format.ts'

const ABOUT: Readonly<Record<LineKind, string>> = {
  lectures: 'the lectures of the course',
  categories: 'its categories of questions',
  tags: 'its tags, with what they mean and other words for them',
  people: 'who wrote, decided or is mentioned in what follows; no one who is only a member',
  files: 'pictures that texts show',
  questions: 'questions',
  answers: 'answers',
  replies: 'replies under questions and answers',
  versions: 'earlier texts of posts',
  announcements: 'what staff told the course',
  faq: 'the entries of its FAQ that are shown',
}

/** docs/exchange.md. */
export function exchangePage(): string {
  const schemas = Object.entries(jsonSchemas()).map(
    ([name, schema]) => `### \`${name}\`\n\n\`\`\`json\n${compact(schema)}\n\`\`\`\n`,
  )
  return `# The exchange format

Written by \`npm run handup -- exchange > docs/exchange.md\`. A course in files that any program can read and write: what a course takes along
when it moves out, and what converters make of other forums' exports. \`npm run handup -- export course SLUG PATH\` writes it, \`import handup PATH --course SLUG\` reads it.

## Files

A folder, or the same files in a tar archive compressed with Zstandard (\`.tar.zst\`). \`course.json\` is one object with
\`"format": "${FORMAT.name}"\` and \`"version": ${FORMAT.version}\`. The others have a JSON object a line, in UTF-8; one that is missing or empty has none of them.

| file | what it has |
|---|---|
${LINE_KINDS.map((kind) => `| \`${fileOf(kind)}\` | ${ABOUT[kind]} |`).join('\n')}
| \`files/\` | the pictures that are \`blob\` |

- Ids are texts, unique among the lines of a file and under the \`source\` of \`course.json\`: its \`name\` is the kind of forum, its \`origin\` the site and
  course there. Bringing the same export in again adds only what is new.
- Times are in ISO 8601. A member that is left out is null, or its default. Members that aren't listed are ignored and counted, except in
  \`author\`: there they are refused, so that no reader overlooks a word that hides a name.
- \`visibility\`: \`course\` is for everyone who reads the course, \`private\` for the asker and staff; \`private(source)\` says that the source said so.
- \`state\`: \`held(source)\` waits for review, \`hidden\` was hidden by moderators.
- \`author\`: \`{person}\` wrote under their name. \`{person, anonymous: "classmates"}\` is known to staff alone. \`{anonymous: "everyone"}\` is known to
  no one: the person isn't in the file. \`{former}\` is the name of an account that is gone. \`number\` is that of the stand-in name, as in
  *Anonymous 2*.
- \`role\` of a person is what they were there, and gives no role here: what assistants and instructors wrote under their names is marked so.
- \`addresses\` of a post are what links to the source call it beside its id: see [old links](#old-links).

## Texts

Texts are Markdown. They lead to what is in the export by addresses of its own, and by no others:

| written | leads to |
|---|---|
| \`[words](exchange:question/ID)\`, \`exchange:answer/ID\`, \`exchange:reply/ID\` | a post; words such as \`#12\` become its number |
| \`@[Name](exchange:person/ID)\` | a person: a mention, of which no one is notified |
| \`![words](exchange:file/ID)\` | a picture |

Anything else is text for a reader: \`#12\`, \`@[Name](person:12)\`, \`/questions/12\` and \`/uploads/…\` mean nothing outside the forum that they come from.

## Bringing one in

\`import handup\` checks everything first: a line that doesn’t fit is refused with its file and number, and nothing is written. \`--dry-run\` stops
there and says how many would come, and who would see them. It then reads 1,000 lines at a time; no one sees any of it until the last step. If it
breaks off, the same command goes on where it was; \`import --undo RUN\` removes what came, as the forum does after a day. Posts that came before stay as they
are now. A second import into a course waits for the first.

For a week \`import --undo RUN\` also takes back what is shown: posts, people without other posts, and lectures, categories, tags and pictures that nothing else
uses. Threads with answers, replies, votes or endorsements by people here, in the FAQ, or with posts that somebody claimed, stay as a whole and are listed; with
\`--with-answers\` they go as well. Settings and rules of the course stay. The same export can be brought in again.

## Old links

\`/from/SOURCE/ID\` leads to a post by its id, or by one of its \`addresses\`: for those who may read it. Before an id may be \`q\` (a question), \`a\` (an answer), \`c\` or
\`r\` (a reply). Of several courses it is the one that was imported into last, or that \`?course=SLUG\` names. What was taken back answers 410.
\`import --redirects RUN\` prints all as CSV (\`from,to,kind\`), for the proxy of the old forum.

People come as names, without an account or a role. An address of theirs is kept for up to 24 months, only to offer the posts to whoever has it
confirmed here. No one is notified. Titles over 150 characters are cut, and kept whole above the text. An archive has at most 100,000 entries of
up to 2 GB, no links, and at most 200 times its size.

## What an export has, and what it never has

\`export course\` has the rights of staff: private, anonymous, held and hidden posts are in it, each as that, with the names that staff see,
the confirmed addresses of authors, and those that an import brought. Keep it as you keep a backup. Votes are counts.

Never in it: deleted posts and what is below them, cases, reports, drafts, follows, notifications, the desk, saved answers, tokens, webhooks, and
addresses of anyone who wrote nothing.

With \`--pseudonymous\` it has no names, addresses, names in mentions, descriptions of pictures or names of their files, and no id that another
export has: people are *Person 1*, *Person 2*, in a random order. What authors typed of themselves stays in their texts.

## Schemas

${schemas.join('\n')}`
}

/** A member a line, however much it says. */
function compact(schema: object): string {
  const members = Object.entries(schema).map(([name, value]) => {
    if (name !== 'properties' && name !== '$defs')
      return `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`
    const properties = Object.entries(value).map(
      ([of, says]) => `    ${JSON.stringify(of)}: ${JSON.stringify(says)}`,
    )
    return `  ${JSON.stringify(name)}: {\n${properties.join(',\n')}\n  }`
  })
  return `{\n${members.join(',\n')}\n}`
}
