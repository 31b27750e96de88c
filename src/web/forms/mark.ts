import type { FastifyInstance } from 'fastify'
import type { Mark, Marked } from '../../kernel/mark.ts'
import { typedFields } from '../form.ts'
import { idParam } from '../params.ts'
import { pathWith } from '../paths.ts'
import { type FormDoor, openForm } from './door.ts'

/** Opens the form of a mark, whose declaration says what is said then, and what takes it back. */
export function openMark<Key, Outcome extends Marked>(
  app: FastifyInstance,
  mark: Mark<Key, Outcome>,
  door: Omit<FormDoor<Key, NoInfer<Outcome>>, 'flash'>,
): void {
  openForm(app, mark.formAddress ?? mark.address, mark, {
    ...door,
    flash(request, outcome, path) {
      const { done = '', isUndoable = true } = outcome ?? {}
      const { undo } = mark
      const { stay } = typedFields(request.body)
      const isOffered = undo?.of === done && isUndoable && (undo.isOfDesk !== true || stay !== undefined)
      const address = () => mark.address.replace(':id', String(idParam(request, 'id')))
      return {
        said: mark.flash[done] ?? '',
        act: isOffered ? pathWith(address(), { ...undo.sends, back: stay ?? path }) : undefined,
      }
    },
  })
}
