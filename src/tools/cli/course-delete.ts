import { sweepPictures } from '../../forum/pictures/commands.ts'
import { pictureStore } from '../../forum/pictures/picture-store.ts'
import { deleteCourse, findCourseParts, removeCourse } from '../../forum/purging/course-deletion.ts'
import { refreshOldStatistics } from '../../forum/search/statistics.ts'
import { courseCalled } from './course-called.ts'
import { performAsOperator } from './perform.ts'
import { stepwiseProgress } from './progress.ts'
import { withDatabase } from './run.ts'
import { isTyped } from './typed-name.ts'

/** Deletes a course for good; without its title typed it says what would go. */
export async function deleteCourseCalled(slug: string, { name }: { readonly name?: string }): Promise<void> {
  await withDatabase(async (tools) => {
    const { db, config } = tools
    const course = await courseCalled(db, slug)
    const parts = await findCourseParts(db, course.id)
    const counts = Object.entries(parts).map(([what, count]) => `${count} ${what}`)
    if (!isTyped(course.title, name, `the course "${course.title}" with ${counts.join(', ')}`)) return
    // Hidden at once, as by the form; what a killed command left is purged with what the form hid.
    await performAsOperator(tools, removeCourse, slug, { title: course.title })
    const shown = stepwiseProgress()
    shown.begin('Deleting', parts.questions)
    await deleteCourse(db, course.id, shown.advance)
    shown.done()
    await sweepPictures(db, pictureStore(config))
    await refreshOldStatistics(db)
    console.log(`deleted for good: the course "${course.title}" with ${counts.join(', ')}`)
  })
}
