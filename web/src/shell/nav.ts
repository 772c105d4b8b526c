// The pages there are, in the order people meet them. A page is added here and in office-pages.ts or, of the platform,
// in routes.tsx, nowhere else.
import {
  IconBeach,
  IconBook,
  IconBook2,
  IconBooks,
  IconBuilding,
  IconBuildingBank,
  IconBus,
  IconCalendarWeek,
  IconCash,
  IconCertificate,
  IconChartAreaLine,
  IconClipboardCheck,
  IconCoins,
  IconConfetti,
  IconDatabase,
  IconDiscount,
  IconHistory,
  IconHome,
  IconId,
  IconLock,
  IconMailFast,
  IconMailX,
  IconMapPin,
  IconMessages,
  IconPlugConnected,
  IconReceipt,
  IconScale,
  IconSchool,
  IconSettings,
  IconSpeakerphone,
  IconStack2,
  IconUserCog,
  IconUserSearch,
  IconUserShield,
  IconUsersGroup,
  IconVersions,
} from '@tabler/icons-react'
import { may, type Session } from '../api/session'
import { t } from '../messages/console'

export interface NavItem {
  to: string
  title: string
  icon: typeof IconHome
  module: string // whose read permission shows it; empty: anybody's
  words?: string // other words the palette finds it by
}

interface NavGroup {
  title: string
  items: NavItem[]
}

const office: NavGroup[] = [
  {
    title: t('Today'),
    items: [
      { to: '/', title: t('Overview'), icon: IconHome, module: '', words: t('home dashboard start') },
      { to: '/live', title: t('Live buses'), icon: IconMapPin, module: 'transport', words: t('map tracking where') },
      {
        to: '/register',
        title: t('Register'),
        icon: IconClipboardCheck,
        module: 'attendance',
        words: t('attendance mark absent present holidays days off month'),
      },
      { to: '/leave', title: t('Leave'), icon: IconBeach, module: 'leave', words: t('inbox requests approve reject') },
    ],
  },
  {
    title: t('People'),
    items: [
      {
        to: '/students',
        title: t('Students'),
        icon: IconUsersGroup,
        module: 'student',
        words: t('children pupils admission import promotion guardians parents'),
      },
      {
        to: '/employees',
        title: t('Employees'),
        icon: IconId,
        module: 'employee',
        words: t('teachers staff drivers assignments'),
      },
    ],
  },
  {
    title: t('Academics'),
    items: [
      { to: '/classes', title: t('Classes'), icon: IconSchool, module: 'class', words: t('divisions sections grades') },
      { to: '/subjects', title: t('Subjects'), icon: IconBook2, module: 'subject' },
      {
        to: '/timetable',
        title: t('Timetable'),
        icon: IconCalendarWeek,
        module: 'timetable',
        words: t('periods lessons week substitution'),
      },
      {
        to: '/exams',
        title: t('Exams'),
        icon: IconCertificate,
        module: 'exam',
        words: t('marks results papers report card grades terms scales'),
      },
      {
        to: '/events',
        title: t('Events'),
        icon: IconConfetti,
        module: 'event',
        words: t('sports day concert sign-ups'),
      },
    ],
  },
  {
    title: t('Money'),
    items: [
      {
        to: '/fees/collect',
        title: t('Collect fee'),
        icon: IconCash,
        module: 'fee',
        words: t('payment receive cash cheque counter'),
      },
      {
        to: '/fees/receipts',
        title: t('Receipts'),
        icon: IconReceipt,
        module: 'fee',
        words: t('payments reverse print'),
      },
      {
        to: '/fees/dues',
        title: t('Dues'),
        icon: IconCoins,
        module: 'fee',
        words: t('outstanding ageing owed reminders defaulters'),
      },
      {
        to: '/fees/ledger',
        title: t('Student accounts'),
        icon: IconBook,
        module: 'fee',
        words: t('ledger statement balance'),
      },
      {
        to: '/fees/structures',
        title: t('Fee structures'),
        icon: IconBuildingBank,
        module: 'fee',
        words: t('heads charge bill invoice instalments'),
      },
      {
        to: '/fees/concessions',
        title: t('Concessions'),
        icon: IconDiscount,
        module: 'fee',
        words: t('waiver scholarship discount fine'),
      },
      {
        to: '/fees/accounts',
        title: t('Accounts'),
        icon: IconScale,
        module: 'fee',
        words: t('trial balance day closing collections'),
      },
    ],
  },
  {
    title: t('School'),
    items: [
      {
        to: '/announcements',
        title: t('Announcements'),
        icon: IconSpeakerphone,
        module: 'announcement',
        words: t('notices circulars news'),
      },
      {
        to: '/messages',
        title: t('Messages'),
        icon: IconMessages,
        module: 'message',
        words: t('chat threads parents teachers'),
      },
      {
        to: '/dispatch',
        title: t('E-mail and SMS'),
        icon: IconMailFast,
        module: 'message',
        words: t('dispatch bulk text templates'),
      },
      {
        to: '/library',
        title: t('Library'),
        icon: IconBooks,
        module: 'library',
        words: t('books issue return overdue reservations import'),
      },
      {
        to: '/transport',
        title: t('Transport'),
        icon: IconBus,
        module: 'transport',
        words: t('buses routes stops trips drivers incidents riders'),
      },
      {
        to: '/years',
        title: t('Academic years'),
        icon: IconStack2,
        module: 'academic-year',
        words: t('turn of the new year plan promotion'),
      },
      { to: '/permissions', title: t('Permissions'), icon: IconLock, module: 'permission', words: t('roles rights') },
      {
        to: '/settings',
        title: t('Settings'),
        icon: IconSettings,
        module: 'setting',
        words: t('evaluation mode admission number notices ways push sms rules'),
      },
      {
        to: '/integrations',
        title: t('Integrations'),
        icon: IconPlugConnected,
        module: 'integration',
        words: t('api keys webhooks programs website token'),
      },
      { to: '/audit', title: t('Audit'), icon: IconHistory, module: 'permission', words: t('history changes who log') },
    ],
  },
]

const platform: NavGroup[] = [
  {
    title: t('Platform'),
    items: [
      {
        to: '/overview',
        title: t('Overview'),
        icon: IconChartAreaLine,
        module: '',
        words: t('traffic requests statistics charts'),
      },
      { to: '/schools', title: t('Schools'), icon: IconBuilding, module: '', words: t('onboard tenants') },
      { to: '/migrations', title: t('Migrations'), icon: IconVersions, module: '', words: t('schema versions fleet') },
    ],
  },
  {
    title: t('People'),
    items: [
      {
        to: '/admins',
        title: t('Administrators'),
        icon: IconUserShield,
        module: '',
        words: t('invite disable office'),
      },
      {
        to: '/operators',
        title: t('Operators'),
        icon: IconUserCog,
        module: '',
        words: t('super-admin disable second factor'),
      },
      {
        to: '/accounts',
        title: t('Accounts'),
        icon: IconUserSearch,
        module: '',
        words: t('phone e-mail sessions revoke'),
      },
    ],
  },
  {
    title: t('Operations'),
    items: [
      { to: '/nodes', title: t('Nodes'), icon: IconDatabase, module: '', words: t('databases servers drain move') },
      {
        to: '/deliveries',
        title: t('Deliveries'),
        icon: IconMailX,
        module: '',
        words: t('sms e-mail push failed retry'),
      },
      { to: '/audit', title: t('Audit'), icon: IconHistory, module: '', words: t('history changes who log') },
    ],
  },
]

// Pages within an area: the palette finds them, the navigation has no line for them.
const within: (NavItem & { write?: boolean })[] = [
  { to: '/students/import', title: t('Import students'), icon: IconUsersGroup, module: 'student', write: true },
  { to: '/students/promote', title: t('Promote a class'), icon: IconUsersGroup, module: 'student', write: true },
  { to: '/employees/import', title: t('Import employees'), icon: IconId, module: 'employee', write: true },
  {
    to: '/import',
    title: t('Import from a file'),
    icon: IconUsersGroup,
    module: 'student',
    words: t('csv excel subjects timetable guardians balances concessions registers routes riders books undo history'),
    write: true,
  },
  { to: '/register/holidays', title: t('Days off'), icon: IconClipboardCheck, module: 'attendance' },
  {
    to: '/register/summary',
    title: t('Attendance summary'),
    icon: IconClipboardCheck,
    module: 'attendance',
    words: t('percent school class month report'),
  },
  { to: '/leave/balances', title: t('Leave balances'), icon: IconBeach, module: 'leave' },
  {
    to: '/groups',
    title: t('Electives and groups'),
    icon: IconBook2,
    module: 'class',
    words: t('language batch optional subject members'),
  },
  { to: '/timetable/teacher', title: t("A teacher's week"), icon: IconCalendarWeek, module: 'timetable' },
  {
    to: '/timetable/substitution',
    title: t('Substitution'),
    icon: IconCalendarWeek,
    module: 'timetable',
    words: t('cover absent teacher free stand in'),
  },
  { to: '/timetable/periods', title: t('Periods of the day'), icon: IconCalendarWeek, module: 'timetable' },
  { to: '/exams/terms', title: t('Terms'), icon: IconCertificate, module: 'exam' },
  { to: '/exams/scales', title: t('Grade scales'), icon: IconCertificate, module: 'exam' },
  { to: '/fees/charge', title: t('Charge a class'), icon: IconBuildingBank, module: 'fee', write: true },
  {
    to: '/fees/rules',
    title: t('Automatic concessions'),
    icon: IconBuildingBank,
    module: 'fee',
    words: t('sibling staff child rules'),
  },
  { to: '/fees/opening-balances', title: t('Opening balances'), icon: IconBuildingBank, module: 'fee' },
  { to: '/fees/heads', title: t('Fee heads'), icon: IconBuildingBank, module: 'fee' },
  {
    to: '/fees/subscriptions',
    title: t('Subscribers of optional fees'),
    icon: IconBuildingBank,
    module: 'fee',
    words: t('transport bus hostel lunch'),
  },
  { to: '/dispatch/new', title: t('Write an e-mail or SMS'), icon: IconMailFast, module: 'message', write: true },
  { to: '/dispatch/templates', title: t('Templates'), icon: IconMailFast, module: 'message' },
  {
    to: '/dispatch/batches',
    title: t('Notifications to many'),
    icon: IconMailFast,
    module: 'message',
    words: t('reminders reached delivery'),
  },
  { to: '/dispatch/blocked', title: t('Blocked addresses'), icon: IconMailFast, module: 'message' },
  { to: '/library/books', title: t('Books'), icon: IconBooks, module: 'library' },
  { to: '/library/loans', title: t('Loans'), icon: IconBooks, module: 'library' },
  { to: '/library/overdue', title: t('Overdue books'), icon: IconBooks, module: 'library' },
  { to: '/library/reservations', title: t('Reservations'), icon: IconBooks, module: 'library' },
  { to: '/transport/buses', title: t('Buses'), icon: IconBus, module: 'transport' },
  { to: '/transport/routes', title: t('Routes'), icon: IconBus, module: 'transport' },
  { to: '/transport/incidents', title: t('Incidents'), icon: IconBus, module: 'transport' },
]

/** The pages within areas that somebody may open, for who looks for one by name. */
export function pagesWithin(s: Session): NavItem[] {
  if (s.user.role === 'SUPER_ADMIN')
    return [{ to: '/schools/new', title: t('Onboard a school'), icon: IconBuilding, module: '' }]
  return within.filter((i) => may(s, i.module, 'read') && (!i.write || may(s, i.module, 'write')))
}

/** What somebody may open; a group with nothing in it is not there. */
export function navFor(s: Session): NavGroup[] {
  const groups = s.user.role === 'SUPER_ADMIN' ? platform : office
  return groups
    .map((g) => ({ ...g, items: g.items.filter((i) => i.module === '' || may(s, i.module, 'read')) }))
    .filter((g) => g.items.length > 0)
}
