// Improves the pages of settings, which have several forms.

import { keepOtherForms, tellUnsaved } from './other-forms.js'
import './time-zones.js'

keepOtherForms(document)
tellUnsaved(document)
