import { prepareMarkdown } from '../../text/markdown.ts'
import { codeWord } from './invented-words.ts'
import { Random } from './random.ts'
import type { Word } from './words.ts'

const SAMPLES_COUNT = 300

/** Short fenced code samples, as in posts; the same ones in every forum. At most 20 words each. */
export function renderedSamples(): Promise<Word[]> {
  const samples = Array.from({ length: SAMPLES_COUNT }, (_, rank) => sample(new Random(rank, 5)))
  return Promise.all(
    samples.map(async (markdown) => {
      const [{ html }] = await prepareMarkdown([markdown])
      return { markdown, html }
    }),
  )
}

function sample(random: Random): string {
  const type = codeWord(random.below(2000)).replaceAll(/[^A-Za-z]/g, '')
  const name = type.charAt(0).toLowerCase() + type.slice(1)
  const number = random.below(1000)
  const [language, code] = random.pick<[string, string]>([
    [
      'java',
      `@GetMapping("/${name}/{id}")\npublic ${type} find(@PathVariable Long id) {\n  return ${name}.find(id);\n}`,
    ],
    [
      'java',
      `private final ${type} ${name};\n\npublic int size() {\n  return ${name}.list().size() + ${number};\n}`,
    ],
    ['kotlin', `val ${name} = ${type}(id = ${number})\nprintln(${name}.name)`],
    ['js', `const ${name} = await fetch('/${name}/${number}')\nif (!${name}.ok) throw new Error('${type}')`],
    ['json', `{\n  "${name}": ${number},\n  "type": "${type}",\n  "isEmpty": false\n}`],
    ['sql', `select id, ${name}\nfrom ${name}s\nwhere id = ${number} and ${name} is not null;`],
    ['', `Caused by: ${type}: line ${number}\n\tat ${name}.run(${type}.java:${number})`],
    ['yaml', `${name}:\n  enabled: true\n  limit: ${number}`],
  ])
  return `\`\`\`${language}\n${code}\n\`\`\``
}
