import type { Conversion, Converted, Source } from '../source.ts'
import { isBackup, openBackup } from './moodle-backup.ts'
import { MoodleFiles } from './moodle-files.ts'
import { MoodleConverter } from './moodle-posts.ts'
import { MoodleSurvey } from './moodle-survey.ts'

/**
 * A backup of a course (`.mbz`): its forums, and those of the plugin moodleoverflow. Untried against a live Moodle: which files of a backup
 * say who is hidden and who taught is general knowledge, and older plugin versions are told by what they leave out.
 */
export const MOODLE: Source = {
  name: 'moodle',
  recognizes: async (files) => isBackup(files),
  bytesOf: ({ all }) => all.reduce((bytes, { name, size }) => bytes + size * timesRead(name), 0),
  async convert(conversion: Conversion): Promise<Converted> {
    const { files, tally, origin } = conversion
    tally.list(['people', 'questions', 'answers', 'replies', 'announcements'])
    const backup = await openBackup(files)
    const survey = new MoodleSurvey(backup.staff, tally)
    for (const activity of backup.activities) await survey.read(activity)
    const kept = new MoodleFiles(backup)
    await kept.read()
    const converter = new MoodleConverter(conversion, { backup, survey, kept })
    for (const forum of survey.forums) await converter.forum(forum)
    const people = await converter.people()
    const from = origin ?? `${backup.site.replace(/^https?:\/\//, '') || files.title}/${backup.courseId}`
    await converter.course.write(conversion, 'moodle', from)
    if (backup.activities.length === 0) tally.note('there is no forum in the backup')
    else if (survey.places.size === 0)
      tally.note('there are no posts in the backup: it was made without the data of users')
    return { asks: converter.asks, people }
  },
}

const timesRead = (name: string) =>
  /(?:^|\/)(?:forum|moodleoverflow|users)\.xml$/.test(name)
    ? 2
    : Number(/(?:^|\/)(?:moodle_backup|files|roles|(?:forum|moodleoverflow)_\d+\/module)\.xml$/.test(name))
