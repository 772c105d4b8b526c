// The pages of a school's office and their addresses. Here is nothing but where their code is, so that it can be asked for before
// anything else of the console has come; src/routes.tsx makes routes of them.

const page = <M, N extends keyof M>(load: () => Promise<M>, name: N) => ({ load, name })

const people = () => import('./pages/people/students')
const staff = () => import('./pages/people/employees')
const leave = () => import('./pages/attendance/leave')
const school = () => import('./pages/school/settings')
const account = () => import('./pages/account/account')

export const officePages = {
  '/': page(() => import('./pages/dashboard/dashboard'), 'Dashboard'),
  '/register': page(() => import('./pages/attendance/register'), 'Register'),
  '/register/holidays': page(() => import('./pages/attendance/holidays'), 'Holidays'),
  '/register/summary': page(() => import('./pages/attendance/summary'), 'AttendanceSummary'),
  '/leave': page(leave, 'LeaveInbox'),
  '/leave/balances': page(leave, 'LeaveBalances'),
  '/exams': page(() => import('./pages/exams/exams'), 'Exams'),
  '/exams/$id': page(() => import('./pages/exams/exam'), 'ExamPage'),
  '/exams/terms': page(() => import('./pages/exams/terms-and-scales'), 'Terms'),
  '/exams/scales': page(() => import('./pages/exams/terms-and-scales'), 'Scales'),
  '/exams/report-card/$id': page(() => import('./pages/exams/report-card'), 'ReportCardPage'),
  '/events': page(() => import('./pages/academics/events'), 'Events'),
  '/students': page(people, 'Students'),
  '/students/import': page(() => import('./pages/import/import'), 'ImportStudents'),
  '/students/promote': page(() => import('./pages/people/promote'), 'Promote'),
  '/employees': page(staff, 'Employees'),
  '/employees/import': page(() => import('./pages/import/import'), 'ImportEmployees'),
  '/classes': page(() => import('./pages/academics/classes'), 'Classes'),
  '/subjects': page(() => import('./pages/academics/subjects'), 'Subjects'),
  '/groups': page(() => import('./pages/academics/groups'), 'Groups'),
  '/years': page(() => import('./pages/academics/years'), 'Years'),
  '/years/plan': page(() => import('./pages/academics/new-year'), 'NewYear'),
  '/timetable': page(() => import('./pages/academics/timetable'), 'Timetable'),
  '/timetable/teacher': page(() => import('./pages/academics/teacher-week'), 'TeacherWeek'),
  '/timetable/substitution': page(() => import('./pages/academics/substitution'), 'Substitution'),
  '/timetable/periods': page(() => import('./pages/academics/timetable'), 'Periods'),
  '/fees/collect': page(() => import('./pages/fees/collect'), 'Collect'),
  '/fees/family': page(() => import('./pages/fees/family'), 'FamilyPage'),
  '/fees/receipt': page(() => import('./pages/fees/receipt'), 'ReceiptPage'),
  '/fees/receipts': page(() => import('./pages/fees/receipts'), 'Receipts'),
  '/fees/refunds': page(() => import('./pages/fees/refunds'), 'Refunds'),
  '/fees/write-offs': page(() => import('./pages/fees/write-offs'), 'WriteOffs'),
  '/fees/dues': page(() => import('./pages/fees/dues'), 'DuesPage'),
  '/fees/ledger': page(() => import('./pages/fees/ledger'), 'Ledger'),
  '/fees/structures': page(() => import('./pages/fees/structures'), 'Structures'),
  '/fees/heads': page(() => import('./pages/fees/structures'), 'Heads'),
  '/fees/subscriptions': page(() => import('./pages/fees/subscriptions'), 'Subscriptions'),
  '/fees/opening-balances': page(() => import('./pages/fees/opening-balances'), 'OpeningBalances'),
  '/fees/rules': page(() => import('./pages/fees/rules'), 'Rules'),
  '/fees/charge': page(() => import('./pages/fees/charge'), 'Charge'),
  '/fees/concessions': page(() => import('./pages/fees/concessions'), 'Concessions'),
  '/fees/accounts': page(() => import('./pages/fees/accounts'), 'Accounts'),
  '/library': page(() => import('./pages/library/desk'), 'Desk'),
  '/library/books': page(() => import('./pages/library/books'), 'Books'),
  '/library/import': page(() => import('./pages/import/import'), 'ImportBooks'),
  '/import': page(() => import('./pages/import/import'), 'ImportAny'),
  '/library/loans': page(() => import('./pages/library/lists'), 'Loans'),
  '/library/overdue': page(() => import('./pages/library/lists'), 'Overdue'),
  '/library/reservations': page(() => import('./pages/library/lists'), 'Reservations'),
  '/announcements': page(() => import('./pages/communication/announcements'), 'Announcements'),
  '/messages': page(() => import('./pages/communication/messages'), 'Messages'),
  '/dispatch': page(() => import('./pages/communication/dispatch'), 'Dispatches'),
  '/dispatch/new': page(() => import('./pages/communication/dispatch-new'), 'WriteDispatch'),
  '/dispatch/templates': page(() => import('./pages/communication/dispatch'), 'Templates'),
  '/dispatch/batches': page(() => import('./pages/communication/batches'), 'NoticeBatches'),
  '/dispatch/blocked': page(() => import('./pages/communication/blocked'), 'BlockedAddresses'),
  '/permissions': page(() => import('./pages/school/permissions'), 'Permissions'),
  '/settings': page(school, 'Settings'),
  '/integrations': page(() => import('./pages/school/keys'), 'ApiKeys'),
  '/integrations/webhooks': page(() => import('./pages/school/webhooks'), 'Webhooks'),
  '/settings/fields': page(() => import('./pages/school/fields'), 'CustomFields'),
  '/settings/sign-in': page(() => import('./pages/school/sign-in'), 'SignInProviders'),
  '/settings/notices': page(() => import('./pages/school/notices'), 'NoticeRules'),
  '/live': page(() => import('./pages/transport/live'), 'Live'),
  '/transport': page(() => import('./pages/transport/trips'), 'Trips'),
  '/transport/buses': page(() => import('./pages/transport/buses'), 'Buses'),
  '/transport/routes': page(() => import('./pages/transport/routes'), 'BusRoutes'),
  '/transport/routes/$id': page(() => import('./pages/transport/routes'), 'BusRoute'),
  '/transport/incidents': page(() => import('./pages/transport/incidents'), 'Incidents'),
  '/audit': page(() => import('./pages/school/audit'), 'Audit'),
  '/account': page(account, 'Account'),
  '/password': page(() => import('./pages/account/password'), 'SetPassword'),
}

/** The page that an address of the console shows, if it is one of an office's. */
export function pageAt(address: string): keyof typeof officePages | undefined {
  const path = address.replace(/^\/console(?=\/|$)/, '').replace(/(.)\/$/, '$1') || '/'
  const isPage = (at: string): at is keyof typeof officePages => at in officePages
  return [path, path.replace(/[^/]+$/, '$$id')].find(isPage)
}
