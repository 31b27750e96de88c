// Improves the pages of settings, which have several forms.

import { keepOtherForms } from './other-forms.js'
import './time-zones.js'

keepOtherForms(document)
