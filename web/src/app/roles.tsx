// Which pages each role has. A page is a line here; places are those of the bottom navigation, at most five. The first page is
// the one the app opens with.
import {
  IconCalendar,
  IconChecklist,
  IconDots,
  IconHistory,
  IconHome,
  IconMessage,
  IconPencil,
  IconReceipt,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Role } from '../api/session'
import type { Key } from '../messages/messages'
import { UnreadCount } from './messages/unread'
import { part } from './part'

interface AreaPage {
  at: string
  // biome-ignore lint/suspicious/noExplicitAny: a page's properties are the names in its address
  Page: ComponentType<any> & { preload: () => Promise<void> }
}

interface Place {
  to: string
  name: Key
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  /** What is drawn on the icon. */
  Count?: ComponentType
}

export interface Area {
  places: Place[]
  /** Pages that the last place leads to, besides the account's. */
  more?: { to: string; name: Key }[]
  pages: AreaPage[]
}

const account: AreaPage[] = [
  { at: '/more', Page: part(() => import('./account/more'), 'More') },
  { at: '/more/notices', Page: part(() => import('./account/notices'), 'Notices') },
  { at: '/more/pin', Page: part(() => import('./account/pin'), 'Pin') },
  { at: '/more/lock', Page: part(() => import('./account/lock-page'), 'LockPage') },
  { at: '/more/waiting', Page: part(() => import('./account/waiting'), 'Waiting') },
]

// For everybody: the paths of the API follow the role. A driver has notices only, which the first page shows.
const messagesPlace: Place = { to: '/messages', name: 'messages.title', icon: IconMessage, Count: UnreadCount }
const messages: AreaPage[] = [
  { at: '/messages', Page: part(() => import('./messages/threads'), 'Threads') },
  { at: '/messages/new', Page: part(() => import('./messages/write'), 'Write') },
  { at: '/messages/thread/:id', Page: part(() => import('./messages/thread'), 'ThreadPage') },
  { at: '/messages/announcements', Page: part(() => import('./messages/announcements'), 'Announcements') },
  { at: '/messages/announcement/:id', Page: part(() => import('./messages/announcements'), 'Announcement') },
  { at: '/messages/notices', Page: part(() => import('./messages/notices'), 'Notices') },
]

const parent: Area = {
  places: [
    { to: '/', name: 'nav.today', icon: IconHome },
    { to: '/school', name: 'nav.school', icon: IconCalendar },
    messagesPlace,
    { to: '/fees', name: 'nav.fees', icon: IconReceipt },
    { to: '/more', name: 'nav.more', icon: IconDots },
  ],
  pages: [
    { at: '/', Page: part(() => import('./parent/today'), 'Today') },
    { at: '/bus/:student', Page: part(() => import('./parent/bus-page'), 'Bus') },
    { at: '/school', Page: part(() => import('./parent/school'), 'School') },
    { at: '/school/:student', Page: part(() => import('./parent/school'), 'School') },
    { at: '/school/:student/attendance', Page: part(() => import('./parent/attendance'), 'Attendance') },
    { at: '/school/:student/timetable', Page: part(() => import('./parent/timetable'), 'Timetable') },
    { at: '/school/:student/calendar', Page: part(() => import('./parent/calendar'), 'Calendar') },
    { at: '/school/:student/leave', Page: part(() => import('./parent/leave'), 'Leave') },
    { at: '/school/:student/leave/new', Page: part(() => import('./parent/leave-form'), 'LeaveForm') },
    { at: '/school/:student/exams', Page: part(() => import('./parent/exams'), 'Exams') },
    { at: '/school/:student/results', Page: part(() => import('./parent/results'), 'Results') },
    { at: '/school/:student/certificates', Page: part(() => import('./parent/certificates'), 'Certificates') },
    { at: '/school/:student/library', Page: part(() => import('./parent/library'), 'Library') },
    { at: '/school/:student/events', Page: part(() => import('./parent/events'), 'Events') },
    { at: '/fees', Page: part(() => import('./parent/fees'), 'Fees') },
    { at: '/fees/:student', Page: part(() => import('./parent/fees'), 'FeeAccount') },
    { at: '/receipt/:id', Page: part(() => import('./parent/receipt'), 'Receipt') },
    { at: '/refund/:id', Page: part(() => import('./parent/refund'), 'Refund') },
    {
      at: '/more/notifications',
      Page: part(() => import('./parent/notification-choices'), 'NotificationChoices'),
    },
    ...messages,
    ...account,
  ],
}

const teacher: Area = {
  places: [
    { to: '/', name: 'nav.today', icon: IconHome },
    { to: '/register', name: 'nav.register', icon: IconChecklist },
    { to: '/marks', name: 'nav.marks', icon: IconPencil },
    messagesPlace,
    { to: '/more', name: 'nav.more', icon: IconDots },
  ],
  more: [
    { to: '/classes', name: 'nav.classes' },
    { to: '/timetable', name: 'school.timetable' },
    { to: '/remarks', name: 'remarks.title' },
    { to: '/library', name: 'school.library' },
    { to: '/events', name: 'school.events' },
    { to: '/leave/requests', name: 'leave.requests' },
    { to: '/leave', name: 'leave.own' },
  ],
  pages: [
    { at: '/', Page: part(() => import('./teacher/today'), 'Today') },
    { at: '/register', Page: part(() => import('./teacher/register'), 'Register') },
    { at: '/register/:kind/:id', Page: part(() => import('./teacher/register-sheet'), 'RegisterSheet') },
    { at: '/marks', Page: part(() => import('./teacher/exams'), 'Exams') },
    { at: '/marks/:exam/:paper/:division', Page: part(() => import('./teacher/mark-sheet'), 'MarkSheet') },
    { at: '/marks/:exam/:paper/group/:group', Page: part(() => import('./teacher/mark-sheet'), 'GroupMarkSheet') },
    { at: '/classes', Page: part(() => import('./teacher/classes'), 'Classes') },
    { at: '/classes/:division', Page: part(() => import('./teacher/classes'), 'ClassList') },
    { at: '/classes/:division/attendance', Page: part(() => import('./teacher/class-month'), 'ClassMonth') },
    { at: '/library', Page: part(() => import('./teacher/library'), 'Library') },
    { at: '/remarks', Page: part(() => import('./teacher/remarks'), 'Remarks') },
    { at: '/remarks/:student', Page: part(() => import('./teacher/remarks'), 'RemarkPage') },
    { at: '/timetable', Page: part(() => import('./teacher/timetable'), 'Timetable') },
    { at: '/timetable/calendar', Page: part(() => import('./teacher/calendar'), 'Calendar') },
    { at: '/events', Page: part(() => import('./teacher/events'), 'Events') },
    { at: '/events/new', Page: part(() => import('./teacher/event-form'), 'NewEvent') },
    { at: '/events/:id', Page: part(() => import('./teacher/event-form'), 'ChangeEvent') },
    { at: '/leave/requests', Page: part(() => import('./teacher/leave-requests'), 'LeaveRequests') },
    { at: '/leave', Page: part(() => import('./teacher/leave'), 'OwnLeave') },
    { at: '/leave/new', Page: part(() => import('./teacher/leave'), 'OwnLeaveForm') },
    { at: '/messages/announcements/new', Page: part(() => import('./teacher/announce'), 'Announce') },
    ...messages,
    ...account,
  ],
}

const driver: Area = {
  places: [
    { to: '/', name: 'nav.today', icon: IconHome },
    { to: '/history', name: 'nav.history', icon: IconHistory },
    messagesPlace,
    { to: '/more', name: 'nav.more', icon: IconDots },
  ],
  pages: [
    { at: '/', Page: part(() => import('./driver/today'), 'Today') },
    { at: '/trip/:id', Page: part(() => import('./driver/trip'), 'TripPage') },
    { at: '/trip/:id/incident', Page: part(() => import('./driver/incident'), 'Incident') },
    { at: '/trip/:id/hand-over', Page: part(() => import('./driver/hand-over'), 'HandOver') },
    { at: '/history', Page: part(() => import('./driver/history'), 'History') },
    { at: '/incidents', Page: part(() => import('./driver/incidents'), 'Incidents') },
    { at: '/messages', Page: part(() => import('./messages/notices'), 'Notices') },
    { at: '/messages/notices', Page: part(() => import('./messages/notices'), 'Notices') }, // where a tapped notice leads
    ...account,
  ],
}

const areas: Partial<Record<Role, Area>> = { PARENT: parent, TEACHER: teacher, DRIVER: driver }

/** undefined: the app has no pages for the role. */
export function areaOf(role: Role): Area | undefined {
  return areas[role]
}
