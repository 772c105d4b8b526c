// The pages there are, in the order people meet them. A page is added here and in routes.tsx, nowhere else.
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
    title: 'Today',
    items: [
      { to: '/', title: 'Overview', icon: IconHome, module: '', words: 'home dashboard start' },
      { to: '/live', title: 'Live buses', icon: IconMapPin, module: 'transport', words: 'map tracking where' },
      {
        to: '/register',
        title: 'Register',
        icon: IconClipboardCheck,
        module: 'attendance',
        words: 'attendance mark absent present holidays days off month',
      },
      { to: '/leave', title: 'Leave', icon: IconBeach, module: 'leave', words: 'inbox requests approve reject' },
    ],
  },
  {
    title: 'People',
    items: [
      {
        to: '/students',
        title: 'Students',
        icon: IconUsersGroup,
        module: 'student',
        words: 'children pupils admission import promotion guardians parents',
      },
      {
        to: '/employees',
        title: 'Employees',
        icon: IconId,
        module: 'employee',
        words: 'teachers staff drivers assignments',
      },
    ],
  },
  {
    title: 'Academics',
    items: [
      { to: '/classes', title: 'Classes', icon: IconSchool, module: 'class', words: 'divisions sections grades' },
      { to: '/subjects', title: 'Subjects', icon: IconBook2, module: 'subject' },
      {
        to: '/timetable',
        title: 'Timetable',
        icon: IconCalendarWeek,
        module: 'timetable',
        words: 'periods lessons week substitution',
      },
      {
        to: '/exams',
        title: 'Exams',
        icon: IconCertificate,
        module: 'exam',
        words: 'marks results papers report card grades terms scales',
      },
      { to: '/events', title: 'Events', icon: IconConfetti, module: 'event', words: 'sports day concert sign-ups' },
    ],
  },
  {
    title: 'Money',
    items: [
      {
        to: '/fees/collect',
        title: 'Collect fee',
        icon: IconCash,
        module: 'fee',
        words: 'payment receive cash cheque counter',
      },
      { to: '/fees/receipts', title: 'Receipts', icon: IconReceipt, module: 'fee', words: 'payments reverse print' },
      {
        to: '/fees/dues',
        title: 'Dues',
        icon: IconCoins,
        module: 'fee',
        words: 'outstanding ageing owed reminders defaulters',
      },
      {
        to: '/fees/ledger',
        title: 'Student accounts',
        icon: IconBook,
        module: 'fee',
        words: 'ledger statement balance',
      },
      {
        to: '/fees/structures',
        title: 'Fee structures',
        icon: IconBuildingBank,
        module: 'fee',
        words: 'heads charge bill invoice instalments',
      },
      {
        to: '/fees/concessions',
        title: 'Concessions',
        icon: IconDiscount,
        module: 'fee',
        words: 'waiver scholarship discount fine',
      },
      {
        to: '/fees/accounts',
        title: 'Accounts',
        icon: IconScale,
        module: 'fee',
        words: 'trial balance day closing collections',
      },
    ],
  },
  {
    title: 'School',
    items: [
      {
        to: '/announcements',
        title: 'Announcements',
        icon: IconSpeakerphone,
        module: 'announcement',
        words: 'notices circulars news',
      },
      {
        to: '/messages',
        title: 'Messages',
        icon: IconMessages,
        module: 'message',
        words: 'chat threads parents teachers',
      },
      {
        to: '/dispatch',
        title: 'E-mail and SMS',
        icon: IconMailFast,
        module: 'message',
        words: 'dispatch bulk text templates',
      },
      {
        to: '/library',
        title: 'Library',
        icon: IconBooks,
        module: 'library',
        words: 'books issue return overdue reservations import',
      },
      {
        to: '/transport',
        title: 'Transport',
        icon: IconBus,
        module: 'transport',
        words: 'buses routes stops trips drivers incidents riders',
      },
      {
        to: '/years',
        title: 'Academic years',
        icon: IconStack2,
        module: 'academic-year',
        words: 'turn of the new year plan promotion',
      },
      { to: '/permissions', title: 'Permissions', icon: IconLock, module: 'permission', words: 'roles rights' },
      {
        to: '/settings',
        title: 'Settings',
        icon: IconSettings,
        module: 'setting',
        words: 'evaluation mode admission number notices ways push sms rules',
      },
      {
        to: '/integrations',
        title: 'Integrations',
        icon: IconPlugConnected,
        module: 'integration',
        words: 'api keys webhooks programs website token',
      },
      { to: '/audit', title: 'Audit', icon: IconHistory, module: 'permission', words: 'history changes who log' },
    ],
  },
]

const platform: NavGroup[] = [
  {
    title: 'Platform',
    items: [
      {
        to: '/overview',
        title: 'Overview',
        icon: IconChartAreaLine,
        module: '',
        words: 'traffic requests statistics charts',
      },
      { to: '/schools', title: 'Schools', icon: IconBuilding, module: '', words: 'onboard tenants' },
      { to: '/migrations', title: 'Migrations', icon: IconVersions, module: '', words: 'schema versions fleet' },
    ],
  },
  {
    title: 'People',
    items: [
      { to: '/admins', title: 'Administrators', icon: IconUserShield, module: '', words: 'invite disable office' },
      {
        to: '/operators',
        title: 'Operators',
        icon: IconUserCog,
        module: '',
        words: 'super-admin disable second factor',
      },
      { to: '/accounts', title: 'Accounts', icon: IconUserSearch, module: '', words: 'phone e-mail sessions revoke' },
    ],
  },
  {
    title: 'Operations',
    items: [
      { to: '/nodes', title: 'Nodes', icon: IconDatabase, module: '', words: 'databases servers drain move' },
      { to: '/deliveries', title: 'Deliveries', icon: IconMailX, module: '', words: 'sms e-mail push failed retry' },
      { to: '/audit', title: 'Audit', icon: IconHistory, module: '', words: 'history changes who log' },
    ],
  },
]

// Pages within an area: the palette finds them, the navigation has no line for them.
const within: (NavItem & { write?: boolean })[] = [
  { to: '/students/import', title: 'Import students', icon: IconUsersGroup, module: 'student', write: true },
  { to: '/students/promote', title: 'Promote a class', icon: IconUsersGroup, module: 'student', write: true },
  { to: '/employees/import', title: 'Import employees', icon: IconId, module: 'employee', write: true },
  { to: '/register/holidays', title: 'Days off', icon: IconClipboardCheck, module: 'attendance' },
  {
    to: '/register/summary',
    title: 'Attendance summary',
    icon: IconClipboardCheck,
    module: 'attendance',
    words: 'percent school class month report',
  },
  { to: '/leave/balances', title: 'Leave balances', icon: IconBeach, module: 'leave' },
  {
    to: '/groups',
    title: 'Electives and groups',
    icon: IconBook2,
    module: 'class',
    words: 'language batch optional subject members',
  },
  { to: '/timetable/teacher', title: "A teacher's week", icon: IconCalendarWeek, module: 'timetable' },
  {
    to: '/timetable/substitution',
    title: 'Substitution',
    icon: IconCalendarWeek,
    module: 'timetable',
    words: 'cover absent teacher free stand in',
  },
  { to: '/timetable/periods', title: 'Periods of the day', icon: IconCalendarWeek, module: 'timetable' },
  { to: '/exams/terms', title: 'Terms', icon: IconCertificate, module: 'exam' },
  { to: '/exams/scales', title: 'Grade scales', icon: IconCertificate, module: 'exam' },
  { to: '/fees/charge', title: 'Charge a class', icon: IconBuildingBank, module: 'fee', write: true },
  {
    to: '/fees/rules',
    title: 'Automatic concessions',
    icon: IconBuildingBank,
    module: 'fee',
    words: 'sibling staff child rules',
  },
  { to: '/fees/opening-balances', title: 'Opening balances', icon: IconBuildingBank, module: 'fee' },
  { to: '/fees/heads', title: 'Fee heads', icon: IconBuildingBank, module: 'fee' },
  {
    to: '/fees/subscriptions',
    title: 'Subscribers of optional fees',
    icon: IconBuildingBank,
    module: 'fee',
    words: 'transport bus hostel lunch',
  },
  { to: '/dispatch/new', title: 'Write an e-mail or SMS', icon: IconMailFast, module: 'message', write: true },
  { to: '/dispatch/templates', title: 'Templates', icon: IconMailFast, module: 'message' },
  { to: '/library/books', title: 'Books', icon: IconBooks, module: 'library' },
  { to: '/library/loans', title: 'Loans', icon: IconBooks, module: 'library' },
  { to: '/library/overdue', title: 'Overdue books', icon: IconBooks, module: 'library' },
  { to: '/library/reservations', title: 'Reservations', icon: IconBooks, module: 'library' },
  { to: '/transport/buses', title: 'Buses', icon: IconBus, module: 'transport' },
  { to: '/transport/routes', title: 'Routes', icon: IconBus, module: 'transport' },
  { to: '/transport/incidents', title: 'Incidents', icon: IconBus, module: 'transport' },
]

/** The pages within areas that somebody may open, for who looks for one by name. */
export function pagesWithin(s: Session): NavItem[] {
  if (s.user.role === 'SUPER_ADMIN')
    return [{ to: '/schools/new', title: 'Onboard a school', icon: IconBuilding, module: '' }]
  return within.filter((i) => may(s, i.module, 'read') && (!i.write || may(s, i.module, 'write')))
}

/** What somebody may open; a group with nothing in it is not there. */
export function navFor(s: Session): NavGroup[] {
  const groups = s.user.role === 'SUPER_ADMIN' ? platform : office
  return groups
    .map((g) => ({ ...g, items: g.items.filter((i) => i.module === '' || may(s, i.module, 'read')) }))
    .filter((g) => g.items.length > 0)
}
