// What the console asks for before the rest of its script has come, besides the calls of api/first.ts: the texts of the person's
// language and the page at this address.
import { wasAtSchool } from './api/first'
import { loadTexts } from './messages/console-texts'
import { preferred } from './messages/language'
import { officePages, pageAt } from './office-pages'

const page = wasAtSchool() && pageAt(window.location.pathname)
if (page) officePages[page].load().catch(() => {}) // said when it is shown
void loadTexts(preferred())
