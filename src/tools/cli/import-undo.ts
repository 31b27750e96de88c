import { undoRun } from '../../operating/exchange/import-run.ts'
import { redirectLines } from '../../operating/exchange/old-links.ts'
import { importTakingBack, takeBackSome } from '../../operating/exchange/taking-back.ts'
import { whatStays } from '../../operating/exchange/what-stays.ts'
import { performAsOperator } from './perform.ts'
import { stepwiseProgress } from './progress.ts'
import { CommandError, type Tools } from './run.ts'

/** Removes what an import brought: of one that broke off all, of one that is shown what nobody here added to. */
export async function undoImport(tools: Tools, id: number, withAnswers: boolean): Promise<void> {
  const { db } = tools
  const run = await findRun(tools, id)
  if (run.state === 'reading') return console.log(`undid run ${id}: removed ${await undoRun(db, id)} posts`)
  if (run.state === 'taken-back') throw new CommandError(`run ${id} was undone already`)
  if (run.state === 'shown') {
    const stays = await whatStays(db, id)
    await performAsOperator(
      tools,
      importTakingBack,
      { slug: run.slug, part: id },
      { with_answers: withAnswers },
    )
    if (stays.count > 0) console.log(withAnswers ? `${lines(stays)}\ngo as well` : `${lines(stays)}\nstay`)
  }
  const shown = stepwiseProgress()
  shown.begin('Undoing', run.questions)
  while (await takeBackSome(db, id, shown.advance));
  shown.done()
  console.log(`undid run ${id}`)
}

/** Each post that stays, with what people here have added. */
function lines({ count, listed }: Awaited<ReturnType<typeof whatStays>>): string {
  const rows = listed.map(({ questionId, kind, title, ...reasons }) => {
    const why = REASONS.filter(([reason]) => reasons[reason]).map(([, words]) => words)
    return `  ${kind === 'question' ? '' : `${kind} in `}#${questionId} ${title}: ${why.join(', ')}`
  })
  const more = count > listed.length ? [`  and ${count - listed.length} more`] : []
  return [`${count} posts that people here have added to:`, ...rows, ...more].join('\n')
}

const REASONS = [
  ['isAnswered', 'answers or replies'],
  ['isVoted', 'votes'],
  ['isEndorsed', 'endorsed or in the FAQ'],
  ['isClaimed', 'claimed by its author'],
] as const

/** Prints where old links to posts of a run lead, as CSV. */
export async function printRedirects(tools: Tools, id: number): Promise<void> {
  await findRun(tools, id)
  for await (const lines of redirectLines(tools.db, id, tools.config.baseUrl)) process.stdout.write(lines)
}

async function findRun({ db }: Tools, id: number) {
  const run = await db
    .selectFrom('import_runs as run')
    .innerJoin('courses as course', 'course.id', 'run.course_id')
    .select(['run.state', 'course.slug'])
    .select((select) =>
      select
        .selectFrom('imported_posts')
        .select((count) => count.fn.countAll<number>().as('count'))
        .where('run_id', '=', id)
        .where('question_id', 'is not', null)
        .as('questions'),
    )
    .where('run.id', '=', id)
    .executeTakeFirst()
  if (run === undefined) throw new CommandError(`there is no run ${id}`)
  return { ...run, questions: run.questions ?? 0 }
}
